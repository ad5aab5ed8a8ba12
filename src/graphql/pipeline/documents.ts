import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type ErrorCode, GraphError } from '../../errors.ts';
import { rootTypeOf } from '../executor/collect-fields.ts';
import {
  type ChainFactsAt,
  type CostLimits,
  createOperationPricer,
  type FieldWeights,
  type OperationPricer,
} from './cost/operation-cost.ts';
import { type DocumentLimits, documentLimitsRule } from './limits/document-limits.ts';
import { type IntrospectionSetting, noIntrospectionRule, withoutSuggestion } from './limits/introspection.ts';
import { checkRequestParameters } from './limits/request-limits.ts';

/** What a request may ask for at most; the settings of these names. */
export type OperationLimits = DocumentLimits & CostLimits & IntrospectionSetting;

/** A request for an operation, however it came. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: unknown;
}

/** A request whose document is valid and whose operation may run. */
export interface PreparedOperation {
  readonly document: DocumentNode;
  /** Names the document: SHA-256 of its text, in hex. */
  readonly hash: string;
  readonly operation: OperationDefinitionNode;
  /** The estimated cost, where the request wants it shown. */
  readonly estimate?: number | undefined;
}

/** What a request says of its operation beside the document. */
export interface OperationOptions {
  /** The block that it is answered from; the head when left out. */
  readonly block?: string | undefined;
  /** Whether the response is to have the cost of the operation. */
  readonly showsCost?: boolean;
}

/** Why a request is refused before it runs; several mistakes of one document are told together. */
export class RequestRejectedError extends Error {
  override readonly name = 'RequestRejectedError';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The request is refused.');
    this.errors = errors;
  }
}

/** Errors in an answer without data. More of them help nobody, and cost whoever asked nothing. */
export const MAX_RESPONSE_ERRORS = 10;
/** Errors that graphql-js finds in a document or in variables before it stops, and says so in a last one. */
export const MAX_VALIDATION_ERRORS = MAX_RESPONSE_ERRORS - 1;
/** Source text of the documents that are kept, in characters; one takes some seventy times as much memory as its text. */
const MAX_CACHED_SOURCE_CHARS = 512 * 1024;
const MAX_CACHED_DOCUMENT_CHARS = 16 * 1024;
/** Source text of the documents that running subscriptions hold, in characters, each counted once. */
const MAX_RETAINED_SOURCE_CHARS = 4 * 1024 * 1024;

/** The documents that this server knows, and the checks that every request passes before it runs. */
export class DocumentStore {
  /**
   * Documents that were found valid, so that nobody's usual ones are parsed and checked again. Apollo's own store is bounded by the
   * length of their JSON, which it writes to know it: anybody could fill it to some 150 MB.
   */
  readonly #cache = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CACHED_SOURCE_CHARS,
    maxEntrySize: MAX_CACHED_DOCUMENT_CHARS,
    sizeCalculation: (document) => sourceLength(document) || 1,
  });
  readonly #retained = new Map<string, { readonly document: DocumentNode; users: number }>();
  #retainedChars = 0;
  readonly #schema: GraphQLSchema;
  readonly #limits: OperationLimits;
  readonly #pricer: OperationPricer;

  constructor(schema: GraphQLSchema, limits: OperationLimits, weights: FieldWeights, factsAt?: ChainFactsAt) {
    this.#schema = schema;
    this.#limits = limits;
    this.#pricer = createOperationPricer(limits, weights, factsAt);
  }

  /** A valid document of this hash, if it is known. */
  get(hash: string): DocumentNode | undefined {
    return this.#cache.get(hash) ?? this.#retained.get(hash)?.document;
  }

  set(hash: string, document: DocumentNode): void {
    this.#cache.set(hash, document);
  }

  delete(hash: string): void {
    this.#cache.delete(hash);
  }

  /** Keeps a document for as long as something runs by it; gives what ends that. Throws TOO_MANY_SUBSCRIPTIONS. */
  retain({ hash, document }: PreparedOperation): () => void {
    const held = this.#retained.get(hash) ?? { document, users: 0 };
    if (held.users === 0) {
      if (this.#retainedChars + sourceLength(document) > MAX_RETAINED_SOURCE_CHARS) {
        const message = 'The documents of the subscriptions that run on this server are too many, or too long.';
        throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: MAX_RETAINED_SOURCE_CHARS, retryable: true });
      }
      this.#retainedChars += sourceLength(document);
      this.#retained.set(hash, held);
    }
    held.users++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (--held.users > 0) return;
      this.#retainedChars -= sourceLength(document);
      this.#retained.delete(hash);
    };
  }

  /** Parses, validates and measures what does not come by way of Apollo, which does the same in its own steps. Throws a Refusal. */
  prepare(request: GraphRequest, options: OperationOptions = {}): PreparedOperation {
    const { query, operationName, variables } = request;
    const hash = createHash('sha256').update(query).digest('hex');
    let document = this.get(hash);
    if (!document) {
      document = this.#parseAndValidate(query);
      this.set(hash, document);
    }
    const operation = getOperationAST(document, operationName);
    let estimate: number | undefined;
    try {
      estimate = this.checkLimits(request, document, operation ?? undefined, options);
    } catch (error) {
      throw error instanceof GraphError ? new RequestRejectedError([wrapGraphError(error)]) : error;
    }
    if (!operation) {
      const message = operationName === undefined ? 'Name one of the operations.' : 'The document has no operation of that name.';
      throw new RequestRejectedError([wrapGraphError(new GraphError('OPERATION_RESOLUTION_FAILURE', message))]);
    }
    const wrong = this.#validateVariables(operation, variables);
    if (wrong) throw wrong;
    return { document, hash, operation, estimate };
  }

  /**
   * Refuses what costs too much when that depends on variables or on which operation is meant: the last step before anything runs.
   * Returns the estimated cost where it is to be shown. Throws a GraphError.
   */
  checkLimits(
    { operationName, variables, extensions }: Omit<GraphRequest, 'query'>,
    document: DocumentNode,
    operation: OperationDefinitionNode | undefined,
    { block, showsCost }: OperationOptions = {},
  ): number | undefined {
    checkRequestParameters(operationName ?? operation?.name?.value, variables, extensions);
    if (!operation) return undefined;
    const priced = { schema: this.#schema, document, operation, variables: variables ?? {} };
    this.#pricer.check(priced, block);
    return showsCost ? this.#pricer.estimate(priced, block) : undefined;
  }

  #parseAndValidate(query: string): DocumentNode {
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens: this.#limits.MAX_TOKENS });
    } catch (error) {
      throw new RequestRejectedError([withErrorCode(error, 'GRAPHQL_PARSE_FAILED', this.#limits)]);
    }
    const rules = [...specifiedRules, ...validationRules(this.#limits)];
    const errors = validate(this.#schema, document, rules, { maxErrors: MAX_VALIDATION_ERRORS });
    if (errors.length > 0) {
      throw new RequestRejectedError(errors.map((error) => withErrorCode(error, 'GRAPHQL_VALIDATION_FAILED', this.#limits)));
    }
    return document;
  }

  #validateVariables(operation: OperationDefinitionNode, variables: GraphRequest['variables']): RequestRejectedError | undefined {
    if (!rootTypeOf(this.#schema, operation)) {
      const message = `This graph has no ${operation.operation} operations.`;
      return new RequestRejectedError([wrapGraphError(new GraphError('OPERATION_RESOLUTION_FAILURE', message))]);
    }
    const definitions = operation.variableDefinitions ?? [];
    if (definitions.length === 0) return undefined;
    const { errors } = getVariableValues(this.#schema, definitions, variables ?? {}, { maxErrors: MAX_VALIDATION_ERRORS });
    // The last of too many is about no variable; formatError knows it.
    return (
      errors &&
      new RequestRejectedError(
        errors.map((error) => (error.nodes ? withErrorCode(error, 'BAD_USER_INPUT', this.#limits) : error)),
      )
    );
  }
}

const sourceLength = ({ loc }: DocumentNode): number => loc?.source.body.length ?? 0;

/** A failure of ours as graphql-js carries it. */
export const wrapGraphError = (error: GraphError): GraphQLError => new GraphQLError(error.message, { originalError: error });

/** The rules of this server beside those of GraphQL. */
export const validationRules = (limits: OperationLimits): ValidationRule[] =>
  limits.INTROSPECTION === 'on' ? [documentLimitsRule(limits)] : [documentLimitsRule(limits), noIntrospectionRule];

/** An error of graphql-js with the code that says which step it comes from. */
function withErrorCode(error: unknown, code: ErrorCode, { INTROSPECTION }: IntrospectionSetting): GraphQLError {
  const { message, nodes, source, positions, originalError } =
    error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error });
  const shown = INTROSPECTION === 'on' ? message : withoutSuggestion(message);
  return new GraphQLError(shown, { nodes: nodes ?? null, source, positions, originalError, extensions: { code } });
}
