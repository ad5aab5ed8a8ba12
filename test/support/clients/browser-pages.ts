import type { Browser, Page } from 'playwright-core';

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Opens pages of one server and collects their forbidden requests and errors. */
export class BrowserPages {
  /** Requests to other origins, violations of the content policy, uncaught errors, and errors and warnings of the console. */
  readonly errors: string[] = [];
  readonly #browser: Browser;
  readonly #origin: string;

  constructor(browser: Browser, origin: string) {
    this.#browser = browser;
    this.#origin = origin;
  }

  /** Opens a page in a new browser context. */
  async open(path: string, { colorScheme = 'light', viewport = { width: 1280, height: 800 } }: PageOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
    const page = await context.newPage();
    // Shorter than jest's timeout, so that a failure names the step.
    page.setDefaultTimeout(60_000);
    const { host } = new URL(this.#origin);
    const checkHost = (url: string) => {
      if (/^(https?|wss?):/.test(url) && new URL(url).host !== host) this.errors.push(`request to ${url}`);
    };
    context.on('request', (request) => checkHost(request.url()));
    page.on('websocket', (socket) => checkHost(socket.url()));
    page.on('pageerror', (error) => this.errors.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.errors.push(`${message.type()}: ${message.text()}`);
    });
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
    );
    await page.goto(new URL(path, this.#origin).href);
    return page;
  }
}
