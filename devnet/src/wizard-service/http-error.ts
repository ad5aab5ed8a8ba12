/** An HTTP error with the body `{ "error": message }`. The service description has no errors. */
export class WizardHttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** An invalid request. */
export class BadRequestError extends WizardHttpError {
  constructor(message: string) {
    super(400, message);
  }
}
