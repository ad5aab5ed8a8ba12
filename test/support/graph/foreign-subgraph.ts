/** The subgraph of another team: adds fields to accounts and wizards by their keys, and refers to wizards. */
export const FOREIGN_SUBGRAPH_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@inaccessible"])

  scalar Address

  type Query {
    "The wizard that most people like."
    favouriteWizard: Wizard
  }

  type Account @key(fields: "address _at") {
    address: Address!
    _at: String @inaccessible
    "The name that the owner has chosen."
    nickname: String
  }

  type Wizard @key(fields: "id") {
    id: ID!
    "How it became a wizard."
    story: String
  }
`;

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
