/**
 * A subgraph of another team: nicknames of accounts, stories of wizards, and a reference to a wizard. Usage: `node profiles.mjs 4004`.
 * It implements `_service` and `_entities` itself, to show them; a server of your language has a library for both.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { buildSchema, graphql } from 'graphql';

const sdl = readFileSync(new URL('profiles.graphql', import.meta.url), 'utf8');
const schema = buildSchema(
  `${sdl}
  directive @link(url: String!, import: [String]) on SCHEMA
  directive @key(fields: String!) on OBJECT
  directive @inaccessible on FIELD_DEFINITION
  scalar _Any
  union _Entity = Account | Wizard
  type _Service { sdl: String! }
  extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }`,
);

/** Called with each reference: `__typename` and the fields of the key. An object without its own data is null. */
const entities = {
  Account: (key) => ({ ...key, nickname: `owner ${key.address.slice(-4)}` }),
  Wizard: (key) => ({ ...key, story: `Wizard ${key.id} found a grimoire.` }),
};

const rootValue = {
  _service: { sdl },
  _entities: ({ representations }) => representations.map((key) => entities[key.__typename]?.(key) ?? null),
  // Return only keys of objects that exist: behind a router, a reference to nothing is an object of nulls.
  favouriteWizard: { __typename: 'Wizard', ...entities.Wizard({ id: '1' }) },
};

async function execute(request) {
  const { query, variables, operationName } = JSON.parse(await text(request));
  return graphql({ schema, source: query, rootValue, variableValues: variables, operationName });
}

const server = createServer(async (request, response) => {
  // Such as a request of a browser, which has no body.
  const result = await execute(request).catch(({ message }) => ({ errors: [{ message }] }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
});
server.listen(Number(process.argv[2] ?? 4004), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/graphql`);
});
