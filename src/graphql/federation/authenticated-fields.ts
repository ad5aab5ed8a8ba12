import { isObjectType } from 'graphql';
import type { AnyDomain } from './sdl.ts';
import { domainSchema } from './sdl.ts';

/** Directive of fields that need a caller. Routers enforce it, too. */
const DIRECTIVE = 'authenticated';

/** Returns the fields with `@authenticated` in the SDL of these domains, as `Query.webhookEvents`. */
export const authenticatedFields = (domains: readonly AnyDomain[]): ReadonlySet<string> =>
  new Set(
    domains.flatMap((domain) =>
      Object.values(domainSchema(domain).getTypeMap())
        .filter(isObjectType)
        .flatMap((type) =>
          Object.values(type.getFields())
            .filter(({ astNode }) => astNode?.directives?.some(({ name }) => name.value === DIRECTIVE))
            .map(({ name }) => `${type.name}.${name}`),
        ),
    ),
  );
