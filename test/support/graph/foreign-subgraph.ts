import { readFileSync } from 'node:fs';

/** The subgraph of another team: adds fields to accounts and wizards by their keys, and refers to wizards. */
export const FOREIGN_SUBGRAPH_SDL = readFileSync(
  new URL('../../../examples/federation/profiles.graphql', import.meta.url),
  'utf8',
);

/** The fields that the subgraph of the other team adds to the graph. */
export const FOREIGN_FIELDS_SDL = `
  extend type Query {
    "The wizard that most people like."
    favouriteWizard: Wizard
  }
  extend type Account {
    "The name that the owner has chosen."
    nickname: String
  }
  extend type Wizard {
    "How it became a wizard."
    story: String
  }
`;
