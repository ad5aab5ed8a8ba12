import { type Command, Option } from 'commander';
import type { Setting, SettingDefinitions, SettingValues } from '../config/settings.ts';
import { camelCase, readSettings, settingDefault, settingFlag } from '../config/settings.ts';

/** Creates the flag of a setting. */
function createOption(name: string, { about, otherFlag, flagDefault, isRepeatable }: Setting): Option {
  const flags = [otherFlag ?? [], settingFlag(name)].flat().join(', ');
  const option = new Option(`${flags} ${flagDefault === undefined ? '<value>' : '[value]'}`, about);
  if (flagDefault !== undefined) option.preset(flagDefault);
  if (isRepeatable) option.argParser((value, previous?: string) => (previous === undefined ? value : `${previous},${value}`));
  return option;
}

/** The lines about a setting in the help. */
export const settingHelp = ([name, definition]: [string, Setting]): string => {
  const value = settingDefault(definition);
  return `  ${settingFlag(name)}, ${name}${value && ` (${value})`}\n      ${definition.about}`;
};

/** Returns a function that adds a command with a flag for each of its settings, which are read when `runWith` runs the command. */
export const commandAdder =
  (program: Command, runWith: (command: () => Promise<unknown>) => Promise<never>) =>
  <Definitions extends SettingDefinitions>(
    name: string,
    description: string,
    definitions: Definitions,
    run: (settings: SettingValues<Definitions>) => Promise<unknown>,
    names: readonly string[] = Object.keys(definitions),
    isDefault = false,
  ): void => {
    const command = program.command(name, { isDefault }).description(description);
    for (const setting of names) command.addOption(createOption(setting, definitions[setting]!));
    command.action((flags: Record<string, string>) => {
      const given = names.map((setting) => [setting, flags[camelCase(setting)]]);
      return runWith(async () => run(readSettings(definitions, Object.fromEntries(given))));
    });
  };
