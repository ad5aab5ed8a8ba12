import { Section } from '../../components/facts.tsx';
import { shortDecimal } from '../../components/format.ts';
import { ContractLink, TokenLink } from '../../components/links.tsx';
import { Page } from '../../components/page.tsx';
import { stableRows, Table } from '../../components/table.tsx';
import { useTokens } from './query.ts';

/** `/explore/tokens`: the tokens of the known lists. */
export const TokensPage = () => (
  <Page title="Tokens" query={useTokens()}>
    {({ account }) => (
      <Section title="Known tokens" note="of the token lists of the server">
        <Table
          path="account"
          empty="The server has no token lists. Its operator sets TOKEN_LISTS."
          rows={stableRows(account?.tokenBalances?.map(({ token }) => token) ?? [], ({ address }) => address)}
          columns={[
            { title: 'Token', cell: (token) => <TokenLink token={token} /> },
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Contract', isWide: true, cell: ({ address }) => <ContractLink address={address} /> },
            { title: 'Decimals', isNumber: true, isWide: true, cell: ({ decimals }) => decimals },
            {
              title: 'Supply',
              isNumber: true,
              cell: ({ totalSupply }) => totalSupply && shortDecimal(totalSupply.formatted ?? totalSupply.value, 12),
            },
          ]}
        />
      </Section>
    )}
  </Page>
);
