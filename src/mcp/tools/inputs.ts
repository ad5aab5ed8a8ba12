import { z } from 'zod';

const operation = {
  query: z.string().min(1).describe('A GraphQL document.'),
  operationName: z.string().optional().describe('Which operation of the document to use, if it has several.'),
};

const variables = z.record(z.string(), z.unknown()).optional().describe('Values of the variables of the operation.');

/** Maximum number of events of one call. */
const MAX_EVENTS = 100;
const MAX_TIMEOUT_SECONDS = 300;

/** The arguments of each tool. */
export const inputs = {
  search: z.object({
    query: z.string().min(1).max(500).describe('Words to look for, such as "token balance of an account".'),
    limit: z.number().int().min(1).max(50).default(15).describe('Maximum number of matches.'),
  }),
  explain: z.object({
    name: z.string().min(1).max(200).describe('A type ("Block"), or a field ("Query.blocks"), as search_schema returns it.'),
  }),
  validate: z.object(operation),
  execute: z.object({ ...operation, variables }),
  collect: z.object({
    ...operation,
    variables,
    count: z.number().int().min(1).max(MAX_EVENTS).default(1).describe('How many events to wait for.'),
    timeoutSeconds: z
      .number()
      .min(1)
      .max(MAX_TIMEOUT_SECONDS)
      .default(30)
      .describe('Time after which the events so far are returned.'),
  }),
};
