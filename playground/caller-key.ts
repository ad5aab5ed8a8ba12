/** The key of the reader of the playground and of the explorer, for a server whose operations need a caller. */

const STORAGE_NAME = 'grimoire-caller-key';
const KEY_HEADER = 'x-api-key';
const CREDENTIAL_HEADERS: readonly string[] = ['authorization', KEY_HEADER];

type Headers = Readonly<Record<string, string>>;

/** The part of an error of the graph that this module reads. */
interface RefusalError {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The storage of the tab; undefined where the browser forbids it. */
function tabStorage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** The header with the key of this tab. Empty without one, and if these headers have credentials of their own. */
export function keyHeaders(headers: Headers = {}): Headers {
  const key = tabStorage()?.getItem(STORAGE_NAME);
  const hasCredentials = Object.keys(headers).some((name) => CREDENTIAL_HEADERS.includes(name.toLowerCase()));
  return key && !hasCredentials ? { [KEY_HEADER]: key } : {};
}

/** Whether `keyHeaders` has a key. */
export const hasKey = (headers?: Headers): boolean => KEY_HEADER in keyHeaders(headers);

/** The error of a graph that refuses a request without a key, or with one that it does not accept; undefined for other errors. */
export const refusalIn = (errors: readonly RefusalError[] | undefined): RefusalError | undefined =>
  errors?.find(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');

const CONTENT = `<form method="dialog">
  <h2 id="caller-key-title">This server needs a key</h2>
  <p></p>
  <label>API key or token <input type="password" required autofocus autocomplete="off" spellcheck="false" /></label>
  <footer><button value="use">Use the key</button><button value="cancel" formnovalidate>Cancel</button></footer>
</form>`;

/** URL of the page on which the dialog was cancelled. The explorer requests data by itself, which would open it again. */
let cancelledOn = '';

/** Asks for a key, stores it for this tab, and loads the page again. `reason` states why the key of this tab is not accepted. */
export function askForKey(reason: string): void {
  if (location.href === cancelledOn || document.querySelector('dialog.caller-key')) return;
  const dialog = document.createElement('dialog');
  dialog.className = 'caller-key';
  dialog.setAttribute('aria-labelledby', 'caller-key-title');
  dialog.innerHTML = CONTENT;
  const advice = 'Enter the key or the token of an application. It stays in this tab.';
  dialog.querySelector('p')!.textContent = hasKey() ? `${reason} ${advice}` : advice;
  const input = dialog.querySelector('input')!;
  input.addEventListener('input', () =>
    input.setCustomValidity(/^\s*[!-~]+\s*$/.test(input.value) ? '' : 'Enter visible ASCII characters.'),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (dialog.returnValue !== 'use') {
      cancelledOn = location.href;
      return;
    }
    tabStorage()?.setItem(STORAGE_NAME, input.value.trim());
    location.reload();
  });
  document.body.append(dialog);
  dialog.showModal();
}
