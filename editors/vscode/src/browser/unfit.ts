// Why a module did not start. In place of `server/unfit.ts`: it comes with the extension, so it is of the same version.

import type { Found } from "./locate.ts";
import { type Trouble, refused } from "../server/trouble.ts";

/** What a server says of itself when it says hello. */
export interface Introduction {
  name: string;
  version?: string;
}

export function unfit(): Trouble | undefined {
  return undefined;
}

export function refusal(found: Found, why: string): Promise<Trouble> {
  return Promise.resolve(refused(found, why));
}
