// The projects to pick. Their texts are loaded when one is picked.

import { isValidName } from "./names.ts";
import { type Project, readProject } from "./project.ts";

export interface Example {
  readonly id: string;
  readonly title: string;
}

export async function loadExamples(): Promise<readonly Example[]> {
  return (await fetched("examples/index.json")) as readonly Example[];
}

export async function loadExample(id: string): Promise<Project> {
  if (!/^[\w-]+$/.test(id)) throw new Error("there is no such example");
  return readProject(await fetched(`examples/${id}.json`), isValidName);
}

async function fetched(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}
