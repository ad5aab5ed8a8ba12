import { type Command, Option } from 'commander';
import {
  camelCase,
  readSettings,
  type Setting,
  type SettingDefinitions,
  type SettingValues,
  settingDefault,
  settingFlag,
} from '../config/settings.ts';

/** Creates the flag of a setting. */
function createOption(name: string, { about, flagDefault, isRepeatable }: Setting): Option {
  const option = new Option(`${settingFlag(name)} ${flagDefault === undefined ? '<value>' : '[value]'}`, about);
  if (flagDefault !== undefined) option.preset(flagDefault);
  if (isRepeatable) option.argParser((value, previous?: string) => (previous === undefined ? value : `${previous},${value}`));
  return option;
}

/** The lines about a setting in the help. */
export const settingHelp = ([name, definition]: [string, Setting]): string => {
  const value = settingDefault(definition);
  return `  ${settingFlag(name)}, ${name}${value && ` (${value})`}\n      ${definition.about}`;
};

/** Adds a command with a flag for each of these settings, which are read when it runs. */
export function addCommand<Definitions extends SettingDefinitions>(
  program: Command,
  name: string,
  description: string,
  definitions: Definitions,
  run: (read: () => SettingValues<Definitions>) => Promise<void>,
  names: readonly string[] = Object.keys(definitions),
  isDefault = false,
): Command {
  const command = program.command(name, { isDefault }).description(description);
  for (const setting of names) command.addOption(createOption(setting, definitions[setting]!));
  command.action((flags: Record<string, string>) =>
    run(() => readSettings(definitions, Object.fromEntries(names.map((setting) => [setting, flags[camelCase(setting)]])))),
  );
  return command;
}
