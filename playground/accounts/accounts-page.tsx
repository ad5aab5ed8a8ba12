import { useEffect, useState } from 'react';
import type { DevnetDescription } from '../../devnet/src/description.ts';
import { devnetUrl, explorerUrl } from '../endpoints.ts';
import { PageLinks } from '../panels/page-links.tsx';
import { copyLabel, useCopy } from '../panels/use-copy.ts';
import { devnet } from '../world/devnet.ts';

/** The accounts and the contracts of the embedded network, each with buttons that copy. */
export function AccountsPage() {
  // Undefined while it is loading.
  const [network, setNetwork] = useState<DevnetDescription | null>();
  useEffect(() => {
    devnet().then(setNetwork);
  }, []);
  return (
    <div className="accounts-page">
      <header>
        <PageLinks current="accounts" />
      </header>
      <h1>Accounts of the embedded network</h1>
      {network === undefined && <p>Loading …</p>}
      {network === null && <p>This server has no embedded network, or it does not respond.</p>}
      {network && <Network network={network} />}
    </div>
  );
}

function Network({ network }: { readonly network: DevnetDescription }) {
  const { chainId, accounts, contracts, tournament, nodeService } = network;
  const named = [...contracts, { ...tournament, name: 'Tournament', symbol: null }];
  return (
    <>
      <p>
        Each account has 10,000 ether at the start of the network. The private keys are public: never use one of these accounts on
        another network.
      </p>
      <Table
        caption="Accounts and keys"
        columns={['Account', 'Address', 'Private key']}
        rows={accounts.map(({ name, address, privateKey }) => ({ name, values: [address, privateKey] }))}
      />
      <Table
        caption="Contracts"
        columns={['Contract', 'Address']}
        rows={named.map(({ name, symbol, address }) => ({ name: symbol ? `${name} (${symbol})` : name, values: [address] }))}
      />
      <Table
        caption="Node for wallets and libraries"
        columns={['Setting', 'Value']}
        rows={[
          { name: 'JSON-RPC', values: [nodeService.http] },
          { name: 'Chain id', values: [String(chainId)] },
        ]}
      />
      <p>
        The same for programs, with examples of each kind of data: <a href={devnetUrl}>devnet.json</a>
      </p>
    </>
  );
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly values: readonly string[] }[];
}

function Table({ caption, columns, rows }: TableProps) {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {values.map((value, index) => (
              <td key={value} data-label={columns[index + 1]}>
                <Value text={value} label={`${columns[index + 1]!.toLowerCase()} of ${name}`} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/.test(text);

function Value({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, copy] = useCopy();
  return (
    <span className="value">
      <code>{isAddress(text) ? <a href={`${explorerUrl}/address/${text}`}>{text}</a> : text}</code>
      <button type="button" aria-label={`${copyLabel(isCopied)} ${label}`} onClick={() => copy(text)}>
        {copyLabel(isCopied)}
      </button>
    </span>
  );
}
