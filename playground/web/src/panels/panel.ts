// What a panel is: a form whose fields make a command.

import type { PanelName } from "../project/project.ts";

export interface Field {
  /** The key of what was entered, among those of the project. */
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  /** What can be chosen: values with their texts. Anything can be typed where nothing can be chosen. */
  choices?(names: readonly string[]): readonly (readonly [value: string, text: string])[];
}

export interface Panel {
  readonly name: PanelName;
  readonly title: string;
  readonly fields: readonly Field[];
  /** The words of the command; a text says why there is none. */
  command(inputs: Readonly<Record<string, string>>, names: readonly string[]): readonly string[] | string;
}
