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
import { rootTypeOf } from '../executor/fields.ts';
import { type CostLimits, type FactsAt, type OperationPricer, operationPricer, type Weights } from './cost/operation-cost.ts';
import { type DocumentLimits, limitsRule } from './document-limits.ts';
import { type IntrospectionSetting, noIntrospectionRule, withoutSuggestion } from './introspection.ts';
import { checkParameters } from './request-limits.ts';

/** What a request may ask for at most; the settings of these names. */
export type Limits = DocumentLimits & CostLimits & IntrospectionSetting;

/** A request for an operation, however it came. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly extensions?: unknown;
}

/** A request whose document is valid and whose operation may run. */
export interface Prepared {
  readonly document: DocumentNode;
  /** Names the document: SHA-256 of its text, in hex. */
  readonly hash: string;
  readonly operation: OperationDefinitionNode;
  /** The estimated cost, where the request wants it shown. */
  readonly estimate?: number | undefined;
}

/** What a request says of its operation beside the document. */
export interface RunOptions {
  /** The block that it is answered from; the head when left out. */
  readonly block?: string | undefined;
  /** Whether the response is to have the cost of the operation. */
  readonly showsCost?: boolean;
}

/** Why a request is refused before it runs; several mistakes of one document are told together. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The request is refused.');
    this.errors = errors;
  }
}

/** Errors in an answer without data. More of them help nobody, and cost whoever asked nothing. */
export const MAX_ERRORS = 10;
/** Errors that graphql-js finds in a document or in variables before it stops, and says so in a last one. */
export const MAX_FOUND = MAX_ERRORS - 1;
/** Source text of the documents that are kept, in characters; one takes some seventy times as much memory as its text. */
const KEPT_SOURCE = 512 * 1024;
const LONGEST_KEPT = 16 * 1024;
/** Source text of the documents that running subscriptions hold, in characters, each counted once. */
const HELD_SOURCE = 4 * 1024 * 1024;

/** The documents that this server knows, and the checks that every request passes before it runs. */
export class Documents {
  /**
   * Documents that were found valid, so that nobody's usual ones are parsed and checked again. Apollo's own store is bounded by the
   * length of their JSON, which it writes to know it: anybody could fill it to some 150 MB.
   */
  readonly #kept = new LRUCache<string, DocumentNode>({
    maxSize: KEPT_SOURCE,
    maxEntrySize: LONGEST_KEPT,
    sizeCalculation: (document) => lengthOf(document) || 1,
  });
  readonly #held = new Map<string, { readonly document: DocumentNode; users: number }>();
  #heldSource = 0;
  readonly #schema: GraphQLSchema;
  readonly #limits: Limits;
  readonly #pricer: OperationPricer;

  constructor(schema: GraphQLSchema, limits: Limits, weights: Weights, factsAt?: FactsAt) {
    this.#schema = schema;
    this.#limits = limits;
    this.#pricer = operationPricer(limits, weights, factsAt);
  }

  /** A valid document of this hash, if it is known. */
  find(hash: string): DocumentNode | undefined {
    return this.#kept.get(hash) ?? this.#held.get(hash)?.document;
  }

  keep(hash: string, document: DocumentNode): void {
    this.#kept.set(hash, document);
  }

  forget(hash: string): void {
    this.#kept.delete(hash);
  }

  /** Keeps a document for as long as something runs by it; gives what ends that. Throws TOO_MANY_SUBSCRIPTIONS. */
  hold({ hash, document }: Prepared): () => void {
    const held = this.#held.get(hash) ?? { document, users: 0 };
    if (held.users === 0) {
      if (this.#heldSource + lengthOf(document) > HELD_SOURCE) {
        const message = 'The documents of the subscriptions that run on this server are too many, or too long.';
        throw new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit: HELD_SOURCE, retryable: true });
      }
      this.#heldSource += lengthOf(document);
      this.#held.set(hash, held);
    }
    held.users++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (--held.users > 0) return;
      this.#heldSource -= lengthOf(document);
      this.#held.delete(hash);
    };
  }

  /** Parses, validates and measures what does not come by way of Apollo, which does the same in its own steps. Throws a Refusal. */
  prepare(request: GraphRequest, options: RunOptions = {}): Prepared {
    const { query, operationName, variables } = request;
    const hash = createHash('sha256').update(query).digest('hex');
    let document = this.find(hash);
    if (!document) {
      document = this.#read(query);
      this.keep(hash, document);
    }
    const operation = getOperationAST(document, operationName);
    let estimate: number | undefined;
    try {
      estimate = this.check(request, document, operation ?? undefined, options);
    } catch (error) {
      throw error instanceof GraphError ? new Refusal([ofGraph(error)]) : error;
    }
    if (!operation) {
      const message = operationName === undefined ? 'Name one of the operations.' : 'The document has no operation of that name.';
      throw new Refusal([ofGraph(new GraphError('OPERATION_RESOLUTION_FAILURE', message))]);
    }
    const wrong = this.#wrongVariables(operation, variables);
    if (wrong) throw wrong;
    return { document, hash, operation, estimate };
  }

  /**
   * Refuses what costs too much when that depends on variables or on which operation is meant: the last step before anything runs.
   * Returns the estimated cost where it is to be shown. Throws a GraphError.
   */
  check(
    { operationName, variables, extensions }: Omit<GraphRequest, 'query'>,
    document: DocumentNode,
    operation: OperationDefinitionNode | undefined,
    { block, showsCost }: RunOptions = {},
  ): number | undefined {
    checkParameters(operationName ?? operation?.name?.value, variables, extensions);
    if (!operation) return undefined;
    const priced = { schema: this.#schema, document, operation, variables: variables ?? {} };
    this.#pricer.check(priced, block);
    return showsCost ? this.#pricer.estimate(priced, block) : undefined;
  }

  #read(query: string): DocumentNode {
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens: this.#limits.MAX_TOKENS });
    } catch (error) {
      throw new Refusal([coded(error, 'GRAPHQL_PARSE_FAILED', this.#limits)]);
    }
    const rules = [...specifiedRules, ...validationRules(this.#limits)];
    const errors = validate(this.#schema, document, rules, { maxErrors: MAX_FOUND });
    if (errors.length > 0) {
      throw new Refusal(errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED', this.#limits)));
    }
    return document;
  }

  #wrongVariables(operation: OperationDefinitionNode, variables: GraphRequest['variables']): Refusal | undefined {
    if (!rootTypeOf(this.#schema, operation)) {
      const message = `This graph has no ${operation.operation} operations.`;
      return new Refusal([ofGraph(new GraphError('OPERATION_RESOLUTION_FAILURE', message))]);
    }
    const definitions = operation.variableDefinitions ?? [];
    if (definitions.length === 0) return undefined;
    const { errors } = getVariableValues(this.#schema, definitions, variables ?? {}, { maxErrors: MAX_FOUND });
    // The last of too many is about no variable; formatError knows it.
    return errors && new Refusal(errors.map((error) => (error.nodes ? coded(error, 'BAD_USER_INPUT', this.#limits) : error)));
  }
}

const lengthOf = ({ loc }: DocumentNode): number => loc?.source.body.length ?? 0;

/** A failure of ours as graphql-js carries it. */
export const ofGraph = (error: GraphError): GraphQLError => new GraphQLError(error.message, { originalError: error });

/** The rules of this server beside those of GraphQL. */
export const validationRules = (limits: Limits): ValidationRule[] =>
  limits.INTROSPECTION === 'on' ? [limitsRule(limits)] : [limitsRule(limits), noIntrospectionRule];

/** An error of graphql-js with the code that says which step it comes from. */
function coded(error: unknown, code: ErrorCode, { INTROSPECTION }: IntrospectionSetting): GraphQLError {
  const { message, nodes, source, positions, originalError } =
    error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error });
  const shown = INTROSPECTION === 'on' ? message : withoutSuggestion(message);
  return new GraphQLError(shown, { nodes: nodes ?? null, source, positions, originalError, extensions: { code } });
}
