import { RawSocket } from './raw-socket.ts';

/** A GraphQL error as every transport sends it. */
export interface ReceivedError {
  readonly message: string;
  readonly code: string;
}

/** A request as JSON text, or an object to send as JSON. */
export type JsonRequest = string | object;

const toJson = (request: JsonRequest): string => (typeof request === 'string' ? request : JSON.stringify(request));

const receivedErrors = (errors: readonly { message: string; extensions: { code: string } }[]): ReceivedError[] =>
  errors.map(({ message, extensions: { code } }) => ({ message, code }));

async function post(url: string, request: JsonRequest, headers: Record<string, string>): Promise<Response> {
  const body = toJson(request);
  return fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

async function errorsOverHttp(url: string, request: JsonRequest, headers: Record<string, string> = {}): Promise<ReceivedError[]> {
  const { errors } = (await (await post(url, request, headers)).json()) as { errors: [] };
  return receivedErrors(errors);
}

/** Reads the errors of an event stream, or of the response when the request is rejected before the stream. */
async function errorsOverEventStream(
  url: string,
  request: JsonRequest,
  headers: Record<string, string> = {},
): Promise<ReceivedError[]> {
  const text = await (await post(url, request, { accept: 'text/event-stream', ...headers })).text();
  const data = /^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? text;
  return receivedErrors(JSON.parse(data).errors);
}

/** Reads the errors of an `error` message, or of the first result. */
async function errorsOverWebSocket(url: string, request: JsonRequest): Promise<ReceivedError[]> {
  const socket = await RawSocket.connect(url);
  socket.send(`{"id":"1","type":"subscribe","payload":${toJson(request)}}`);
  const isResult = ({ type }: { type: string }) => type === 'next' || type === 'error';
  const { type, payload } = await socket.waitForMessage(isResult);
  socket.close();
  return receivedErrors(type === 'error' ? payload : payload.errors);
}

/** Sends one request over each transport and reads its errors. */
export const errorsOver = { http: errorsOverHttp, events: errorsOverEventStream, webSocket: errorsOverWebSocket };
