import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HostCheck } from '../../hosts.ts';
import type { WizardControl } from './control.ts';
import type { InjectedFailure, WizardFaultInjector } from './faults.ts';
import { filterDuels, filterWizards, parseDuelId, parseWizardId } from './filters.ts';
import { BadRequestError, WizardHttpError } from './http-error.ts';
import { type Dialect, duelJson, duelsJson, wizardJson, wizardsJson } from './responses.ts';
import type { TournamentSnapshot } from './tournament-index.ts';

export interface WizardHttpOptions {
  readonly token: string;
  readonly email: string;
  readonly acceptsHost: HostCheck;
  /** What can be served; undefined while there is nothing whole. */
  readonly tournament: () => TournamentSnapshot | undefined;
  /** Resolves when the tournament is up to the chain's head, or that cannot be read. */
  readonly catchUp: () => Promise<void>;
  readonly faults: WizardFaultInjector;
  readonly control: WizardControl;
  readonly controlPath: string;
  /** Falls when the service stops; delays end with it. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** Answers from a tournament: the path's variable, the parameters, and how to write it. */
type Endpoint = (tournament: TournamentSnapshot, id: string, parameters: URLSearchParams, dialect: Dialect) => unknown;

const orNotFound = <Entity>(what: string, entity: Entity | undefined): Entity => {
  if (entity === undefined) throw new WizardHttpError(404, `no such ${what}`);
  return entity;
};

/** The document's table. An id is one part of a path, and not empty. */
const ENDPOINTS: readonly (readonly [path: RegExp, endpoint: Endpoint])[] = [
  [
    /^\/wizards\/([^/]+)$/,
    ({ wizards }, id, _, dialect) => wizardJson(orNotFound('wizard', wizards.get(parseWizardId(id))), dialect),
  ],
  [/^\/wizards$/, (all, _, by, dialect) => wizardsJson(filterWizards(all, by, dialect.oldNames), dialect)],
  [/^\/duels\/([^/]+)$/, ({ duels }, id, _, dialect) => duelJson(orNotFound('duel', duels.get(parseDuelId(id))), dialect)],
  [/^\/duels$/, (all, _, by, dialect) => duelsJson(filterDuels(all, by, dialect.oldNames), dialect)],
];

const MAX_CATCH_UP_MS = 500;

/** What answers requests: the document's four paths, and the control path. */
export function createWizardHttpHandler(options: WizardHttpOptions) {
  const { token, email, acceptsHost, tournament, catchUp, faults, control, controlPath, stopping, log } = options;

  /** All three, and one message for any that is wrong: which one it is helps nobody but a guesser. */
  const admit = (headers: IncomingHttpHeaders) => {
    const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
    if (isJson && headers['x-api-token'] === token && headers['x-email'] === email) return;
    throw new WizardHttpError(
      401,
      'want the headers Content-Type: application/json, x-api-token and x-email, with a valid token',
    );
  };

  const answerTo = ({ url = '/', method, headers }: IncomingMessage): (() => unknown) => {
    const [path = '/', ...query] = url.split('?');
    const [place, endpoint] = orNotFound(
      'path',
      ENDPOINTS.find(([pattern]) => pattern.test(path)),
    );
    if (method !== 'GET') throw new WizardHttpError(405, 'want GET', { allow: 'GET' });
    admit(headers);
    if (faults.isRateLimited()) throw new WizardHttpError(429, 'too many requests', { 'retry-after': '1' });
    return () => {
      const known = tournament();
      if (!known) throw new WizardHttpError(503, 'not indexed yet', { 'retry-after': '1' });
      const id = decodePathPart(place.exec(path)?.[1] ?? '');
      return endpoint(known, id, new URLSearchParams(query.join('?')), faults.current);
    };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (!acceptsHost(request.headers.host)) {
      throw new WizardHttpError(421, 'want a Host that is a loopback name, or that ALLOWED_HOSTS lists');
    }
    if (request.url === controlPath) return sendJson(response, 200, control(request.method ?? '', await text(request)));
    const answer = answerTo(request);
    const failure = faults.nextFailure();
    if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
    if (failure) return sendFailure(response, failure, answer);
    // Whoever has heard of a block finds here what happened in it. A chain that hangs holds nobody for long.
    await Promise.race([catchUp(), delay(MAX_CATCH_UP_MS, undefined, { ref: false })]);
    return sendVersioned(response, answer(), request.headers['if-none-match']);
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch((error: unknown) => {
      if (error instanceof WizardHttpError) return sendJson(response, error.status, { error: error.message }, error.headers);
      if (stopping.aborted || response.destroyed) return response.destroy();
      log.error({ err: error }, 'the wizard service failed');
      return sendJson(response, 500, { error: 'internal error' });
    });
  };
}

const sendJson = (response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Sends an entity with its ETag, or 304 to who has this version of it. */
function sendVersioned(response: ServerResponse, body: unknown, known: string | undefined): void {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  if (known === etag) return void response.writeHead(304, { etag }).end();
  response.writeHead(200, { 'content-type': 'application/json', etag }).end(text);
}

function sendFailure(response: ServerResponse, { kind, status }: InjectedFailure, answer: () => unknown) {
  if (kind === 'reset') return response.socket?.resetAndDestroy();
  if (kind === 'silent') return;
  if (kind === 'truncated') {
    const whole = Buffer.from(JSON.stringify(answer()));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
    return;
  }
  const page = kind === 'html' ? '<h1>Welcome</h1>' : `<h1>${status}</h1>`;
  response.writeHead(kind === 'html' ? 200 : status, { 'content-type': 'text/html' }).end(page);
}

function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadRequestError('want a path in UTF-8');
  }
}
