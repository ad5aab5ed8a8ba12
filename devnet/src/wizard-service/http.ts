import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HostCheck } from '../service-server.ts';
import { HOST_REJECTED_MESSAGE } from '../service-server.ts';
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
  /** The current tournament; undefined before the first complete index. */
  readonly tournament: () => TournamentSnapshot | undefined;
  /** Resolves when the tournament has reached the head, or the chain cannot be read. */
  readonly catchUp: () => Promise<void>;
  readonly faults: WizardFaultInjector;
  readonly control: WizardControl;
  readonly controlPath: string;
  /** Aborts when the service stops, which ends delays. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** Returns the response for the path variable, the parameters and the dialect. */
type Endpoint = (tournament: TournamentSnapshot, id: string, parameters: URLSearchParams, dialect: Dialect) => unknown;

const orNotFound = <Entity>(kind: string, entity: Entity | undefined): Entity => {
  if (entity === undefined) throw new WizardHttpError(404, `no such ${kind}`);
  return entity;
};

/** The documented paths. An id is one non-empty segment. */
const ENDPOINTS: readonly (readonly [path: RegExp, endpoint: Endpoint])[] = [
  [
    /^\/wizards\/([^/]+)$/,
    ({ wizards }, id, _, dialect) => wizardJson(orNotFound('wizard', wizards.get(parseWizardId(id))), dialect),
  ],
  [
    /^\/wizards$/,
    (tournament, _, parameters, dialect) => wizardsJson(filterWizards(tournament, parameters, dialect.oldNames), dialect),
  ],
  [/^\/duels\/([^/]+)$/, ({ duels }, id, _, dialect) => duelJson(orNotFound('duel', duels.get(parseDuelId(id))), dialect)],
  [
    /^\/duels$/,
    (tournament, _, parameters, dialect) => duelsJson(filterDuels(tournament, parameters, dialect.oldNames), dialect),
  ],
];

const MAX_CATCH_UP_MS = 500;

/** Creates the request listener of the four documented paths and of the control path. */
export function createWizardHttpHandler(options: WizardHttpOptions) {
  const { token, email, acceptsHost, tournament, catchUp, faults, control, controlPath, stopping, log } = options;

  /** Checks the three headers. One message for all of them, so that it does not help to guess one. */
  const authenticate = (headers: IncomingHttpHeaders) => {
    const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
    if (isJson && headers['x-api-token'] === token && headers['x-email'] === email) return;
    throw new WizardHttpError(
      401,
      'want the headers Content-Type: application/json, x-api-token and x-email, with a valid token',
    );
  };

  const prepareResponse = ({ url = '/', method, headers }: IncomingMessage): (() => unknown) => {
    const [path = '/', ...query] = url.split('?');
    const [pattern, endpoint] = orNotFound(
      'path',
      ENDPOINTS.find(([regExp]) => regExp.test(path)),
    );
    if (method !== 'GET') throw new WizardHttpError(405, 'want GET', { allow: 'GET' });
    authenticate(headers);
    if (faults.isRateLimited()) throw new WizardHttpError(429, 'too many requests', { 'retry-after': '1' });
    return () => {
      const current = tournament();
      if (!current) throw new WizardHttpError(503, 'not indexed yet', { 'retry-after': '1' });
      const id = decodePathPart(pattern.exec(path)?.[1] ?? '');
      return endpoint(current, id, new URLSearchParams(query.join('?')), faults.current);
    };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (!acceptsHost(request.headers.host)) {
      throw new WizardHttpError(421, HOST_REJECTED_MESSAGE);
    }
    if (request.url === controlPath) return sendJson(response, 200, control(request.method ?? '', await text(request)));
    const createBody = prepareResponse(request);
    const failure = faults.nextFailure();
    if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
    if (failure) return sendFailure(response, failure, createBody);
    // The response contains the events of every block that the client may know. Bounded, in case the chain does not respond.
    await Promise.race([catchUp(), delay(MAX_CATCH_UP_MS, undefined, { ref: false })]);
    return sendVersioned(response, createBody(), request.headers['if-none-match']);
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

/** Sends an entity with its ETag, or 304 if the client has this version. */
function sendVersioned(response: ServerResponse, body: unknown, ifNoneMatch: string | undefined): void {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  if (ifNoneMatch === etag) return void response.writeHead(304, { etag }).end();
  response.writeHead(200, { 'content-type': 'application/json', etag }).end(text);
}

function sendFailure(response: ServerResponse, { kind, status }: InjectedFailure, createBody: () => unknown) {
  if (kind === 'reset') return response.socket?.resetAndDestroy();
  if (kind === 'silent') return;
  if (kind === 'truncated') {
    const whole = Buffer.from(JSON.stringify(createBody()));
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
