import { createHash } from 'node:crypto';
import {
  coerceInputValue,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { type CostLimits, type FieldWeights, MIN_EVENT_COST } from '../graphql/cost/field-cost.ts';
import { createOperationPricer } from '../graphql/cost/operation-cost.ts';
import { asGraphQLError, MAX_VALIDATION_ERRORS } from '../graphql/format-error.ts';
import { namesChains } from '../graphql/selection.ts';
import { DocumentCache } from '../graphql/validation/document-cache.ts';
import { type DocumentSettings, validateDocument } from '../graphql/validation/validate-document.ts';
import { type ErrorCode, GraphError } from '../lib/errors.ts';
import type { BudgetLimits } from '../lib/operation-budget.ts';
import type { GraphRequest, OperationFacts, PreparedOperation, RequestOptions } from './request.ts';
import {
  checkRequestParameters,
  findAuthenticatedField,
  missingCallerError,
  requestedVerification,
  requiredBlocks,
} from './request-checks.ts';
import { TrustedDocuments, type TrustedDocumentsOptions } from './trusted-documents.ts';

/** The limits of one request; each property is the setting with the name of the property. */
export type OperationLimits = DocumentSettings & BudgetLimits & CostLimits;

/** The error of a rejected request: the first MAX_VALIDATION_ERRORS errors of its document or variables. */
export class RequestRejectedError extends AggregateError {
  override readonly name = 'RequestRejectedError';
  declare readonly errors: GraphQLError[];
}

/** Rejects a mutation that was sent with GET; HTTP reports it as 405. */
export class MutationOverGetError extends GraphError {
  constructor() {
    super('BAD_REQUEST', 'A mutation cannot be sent with GET. Send it with POST.');
  }
}

export const MISSING_QUERY_MESSAGE = 'The request has no `query`. Send a GraphQL document as a non-empty string.';

const SUBSCRIPTION_NEEDS_STREAM_MESSAGE =
  'A subscription has more than one response. Use a WebSocket (graphql-transport-ws) at this URL, or send accept: text/event-stream.';

/** Message of graphql-js for a document with more tokens than `maxTokens`. */
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more that \d+ tokens/;
const NESTED_TOO_DEEPLY =
  'The document is nested too deeply to be parsed. MAX_DEPTH limits the selection depth, MAX_TOKENS the number of tokens.';
const SUGGESTION = / (?:Did you mean .*\?|Accepted: .*\.)$/s;

const NO_TRUSTED_DOCUMENTS: TrustedDocumentsOptions = { mode: 'off', texts: new Map() };
const NO_VARIABLES: Readonly<Record<string, unknown>> = {};

export interface OperationPreparerOptions {
  readonly schema: GraphQLSchema;
  readonly limits: OperationLimits;
  /** The cost of each field. */
  readonly weights: FieldWeights;
  /**
   * Returns the height of a block that an operation pins, or of the head when the block is omitted: there, a cost
   * estimate ends open ranges. Undefined if the height is unknown. @default unknown heights
   */
  readonly heightOf?: ((block: string | undefined) => number | undefined) | undefined;
  /** The documents of TRUSTED_DOCUMENTS_FILE. @default none */
  readonly trustedDocuments?: TrustedDocumentsOptions | undefined;
  /** Whether every operation verifies the logs of ranges (LOGS_VERIFY). @default false */
  readonly verifiesLogs?: boolean | undefined;
  /** Root fields that need a caller, as `Query.webhookEvents`. @default no fields */
  readonly authenticatedFields?: ReadonlySet<string> | undefined;
}

/** Parses, validates and prices requests: every check that a request passes before it executes. */
export class OperationPreparer {
  readonly documents = new DocumentCache();
  readonly trusted: TrustedDocuments;
  /** Maximum number of tokens in a document. */
  readonly maxTokens: number;
  readonly #pricer: ReturnType<typeof createOperationPricer>;
  readonly #options: OperationPreparerOptions;

  constructor(options: OperationPreparerOptions) {
    const { limits, weights, trustedDocuments = NO_TRUSTED_DOCUMENTS } = options;
    this.#options = options;
    this.maxTokens = limits.MAX_TOKENS;
    this.#pricer = createOperationPricer(limits, weights);
    this.trusted = new TrustedDocuments(trustedDocuments, (text) => this.#validated(this.#parse(text)));
  }

  /**
   * Returns the operation to execute. Throws a RequestRejectedError or a GraphError. `textHash`, `parsed`: the SHA-256 of the document's text in hex, and the
   * document, if the transport has computed them.
   */
  prepare(request: GraphRequest, options: RequestOptions, textHash?: string, parsed?: DocumentNode): PreparedOperation {
    const { query, variables, extensions } = request;
    // Some clients send an empty name for an unset string. Execution clients accept an empty name.
    const operationName = request.operationName || undefined;
    if (query === '') throw new GraphError('BAD_REQUEST', MISSING_QUERY_MESSAGE);
    const hash = textHash ?? createHash('sha256').update(query).digest('hex');
    const documentId = this.trusted.idOf(hash);
    let document = this.parsedDocument(hash);
    if (!document) {
      document = this.#validated(parsed ?? this.#parse(query));
      this.documents.set(hash, document);
    }
    const operation = getOperationAST(document, operationName);
    checkRequestParameters(operationName ?? operation?.name?.value, variables, extensions);
    if (!operation) {
      throw new GraphError(
        'OPERATION_RESOLUTION_FAILURE',
        operationName === undefined
          ? 'The document has several operations. Name one of them in `operationName`.'
          : 'The document has no operation with this `operationName`. Pass the name of one of its operations.',
      );
    }
    this.#checkOperationType(operation, options);
    const priced = { schema: this.#options.schema, document, operation, variables: variables ?? NO_VARIABLES };
    const authenticatedField = findAuthenticatedField(priced, this.#options.authenticatedFields);
    if (authenticatedField !== undefined && !options.caller) throw missingCallerError(authenticatedField);
    const caller = authenticatedField === undefined ? undefined : options.caller;
    const { minBlock, blocks } = requiredBlocks(options, extensions);
    const verify = requestedVerification(options, extensions);
    const verifiesLogs = this.#options.verifiesLogs || verify?.has('logs');
    const factsOf = (): OperationFacts => ({
      // The heights of other chains are not known here: their open ranges cost as much as the limits allow.
      head: namesChains(operation, document) ? undefined : this.#options.heightOf?.(options.block),
      verifiesLogs,
    });
    this.#pricer.check(priced, factsOf, verifiesLogs);
    const estimate = options.showsCost ? this.#pricer.estimate(priced, factsOf()) : undefined;
    const variableValues = this.#coerceVariables(operation, variables);
    return { document, hash, operation, variables, variableValues, caller, minBlock, blocks, verify, estimate, documentId };
  }

  /**
   * Returns the cost of one event: the estimate of its operation, an integer, but at least MIN_EVENT_COST. The cost is
   * at most MAX_COST, because execution ends at MAX_COST.
   */
  priceEvent({ document, operation, variables = NO_VARIABLES }: PreparedOperation): number {
    const facts: OperationFacts = { head: namesChains(operation, document) ? undefined : this.#options.heightOf?.(undefined) };
    const estimate = this.#pricer.estimate({ schema: this.#options.schema, document, operation, variables }, facts);
    return Math.min(Math.max(MIN_EVENT_COST, estimate), this.#options.limits.MAX_COST);
  }

  /** The rejection of a document that the parser has refused with this error. */
  parseError(error: unknown): Error {
    if (error instanceof RangeError) return new GraphError('QUERY_TOO_COMPLEX', NESTED_TOO_DEEPLY);
    if (TOO_MANY_TOKENS.test((error as Error).message)) {
      const limit = this.maxTokens;
      return new GraphError('QUERY_TOO_COMPLEX', `The document has more than ${limit} tokens (MAX_TOKENS).`, { limit });
    }
    if (!(error instanceof GraphQLError)) return error as Error;
    return this.#rejectionOf([error], 'GRAPHQL_PARSE_FAILED', 'The document has');
  }

  /** The document with this hash of its text, if it is parsed and valid. */
  parsedDocument(hash: string): DocumentNode | undefined {
    return this.trusted.documentOf(hash) ?? this.documents.get(hash);
  }

  #validated(document: DocumentNode): DocumentNode {
    const errors = validateDocument(this.#options.schema, document, this.#options.limits, MAX_VALIDATION_ERRORS);
    if (errors.length > 0) throw this.#rejectionOf(errors, 'GRAPHQL_VALIDATION_FAILED', 'The document has');
    return document;
  }

  #parse(query: string): DocumentNode {
    try {
      return parse(query, { maxTokens: this.maxTokens });
    } catch (error) {
      throw this.parseError(error);
    }
  }

  #checkOperationType(operation: OperationDefinitionNode, { isGet, origin }: RequestOptions): void {
    if (!this.#options.schema.getRootType(operation.operation)) {
      throw new GraphError('OPERATION_RESOLUTION_FAILURE', `This graph has no ${operation.operation} operations.`);
    }
    if (operation.operation === 'mutation' && isGet) throw new MutationOverGetError();
    if (operation.operation === 'subscription' && origin.transport === 'http') {
      throw new GraphError('BAD_REQUEST', SUBSCRIPTION_NEEDS_STREAM_MESSAGE);
    }
  }

  #coerceVariables({ variableDefinitions = [] }: OperationDefinitionNode, variables: GraphRequest['variables']) {
    // A new object, because results of one execution are cached by its variables until these are unreferenced.
    if (variableDefinitions.length === 0) return {};
    const inputs = variables ?? NO_VARIABLES;
    const given = this.#coerceGiven(variableDefinitions, inputs);
    if (given) return given;
    const options = { maxErrors: MAX_VALIDATION_ERRORS };
    const { coerced, errors } = getVariableValues(this.#options.schema, variableDefinitions, inputs, options);
    if (coerced) return coerced;
    throw this.#rejectionOf(errors, 'BAD_USER_INPUT', 'The variables have');
  }

  /**
   * Coerces variables as graphql-js does, without its copies, which take microseconds. Undefined if a value is invalid or absent: graphql-js then determines
   * the errors, or the default.
   */
  #coerceGiven(definitions: readonly VariableDefinitionNode[], inputs: Readonly<Record<string, unknown>>) {
    const values: Record<string, unknown> = {};
    try {
      for (const { variable, type: node } of definitions) {
        const name = variable.name.value;
        if (!Object.hasOwn(inputs, name) || name === '__proto__') return undefined;
        values[name] = coerceInputValue(inputs[name], typeFromAST(this.#options.schema, node) as GraphQLInputType);
      }
      return values;
    } catch {
      return undefined;
    }
  }

  /**
   * Creates the rejection. graphql-js adds an error when it stops after the last permitted error; a message with the
   * limit replaces the error that graphql-js adds.
   */
  #rejectionOf(errors: readonly GraphQLError[], code: ErrorCode, subject: string): RequestRejectedError {
    const listed = errors.slice(0, MAX_VALIDATION_ERRORS).map(({ message, nodes = null, source, positions }) => {
      // Remove the names of the schema that graphql-js suggests.
      const shown = this.#options.limits.INTROSPECTION === 'off' ? message.replace(SUGGESTION, '') : message;
      return new GraphQLError(shown, { nodes, source, positions, extensions: { code } });
    });
    if (errors.length > MAX_VALIDATION_ERRORS) {
      const message = `${subject} more than ${MAX_VALIDATION_ERRORS} errors; only the first ${MAX_VALIDATION_ERRORS} are listed.`;
      listed.push(asGraphQLError(new GraphError(code, message, { limit: MAX_VALIDATION_ERRORS })));
    }
    return new RequestRejectedError(listed, 'The request is rejected.');
  }
}
