/** A request that is answered with a status of its own and `{ "error": message }`. The document shows no errors; these are ours. */
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

/** What was asked cannot be understood. */
export class BadRequestError extends WizardHttpError {
  constructor(message: string) {
    super(400, message);
  }
}
