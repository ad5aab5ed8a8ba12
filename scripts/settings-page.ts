import { type Setting, settingDefault, settingFlag } from '../src/config/settings.ts';

type NamedSetting = readonly [name: string, setting: Setting];

/** The topics of docs/settings.md in their order. A setting has the first topic whose pattern matches its name. */
const TOPICS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Node', /^RPC_|^NODE_|^HEADER_CHECKS$|^CACHE_BYTES$/],
  ['Embedded chain', /^DEVNET_|^DATA_DIR$/],
  ['Tournament', /^WIZARDS_/],
  ['Webhooks', /WEBHOOK|^DATABASE_URL$/],
  ['Graph', /^DOMAIN$|^FEDERATED$|^COMPATIBILITY$|^INTROSPECTION$|^ABI_DIR$|^TOKEN_LISTS$/],
  ['Callers', /^API_KEYS$|^JWT_|^REQUIRE_CALLER$|^RATE_LIMIT_/],
  ['Limits of connections and subscriptions', /SUBSCRIPTION|^MAX_CONNECTIONS$|^MAX_UNSENT_BYTES$/],
  ['Limits of an operation', /^MAX_|^OPERATION_/],
  ['Server', /^/],
];

/** Prints the settings by topic. A heading for each setting gives it an anchor, and an entry in the search of the site. */
export const printSettingsByTopic = (settings: readonly NamedSetting[]): string => {
  const topicOf = (name: string) => TOPICS.find(([, names]) => names.test(name));
  return TOPICS.map((topic) => {
    const ofTopic = settings.filter(([name]) => topicOf(name) === topic);
    return `\n## ${topic[0]}\n${printSettings(ofTopic)}`;
  }).join('');
};

/** Prints a heading, the flag, the default and the meaning of each setting. */
export const printSettings = (settings: readonly NamedSetting[]): string =>
  settings
    .map(([name, setting]) => {
      const value = settingDefault(setting);
      const defaultText = value === '' ? 'no default' : `default \`${value}\``;
      return `\n### \`${name}\`\n\n\`${settingFlag(name)}\`, ${defaultText}\n\n${setting.about}.\n`;
    })
    .join('');
