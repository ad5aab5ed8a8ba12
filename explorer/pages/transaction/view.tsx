import { shortHex, toBigInt } from '@grimoire/client';
import { useState } from 'react';
import { Age } from '../../components/age.tsx';
import { DecodedArguments } from '../../components/decoded.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { formatAmount, formatFee, formatInteger, shortDecimal } from '../../components/format.ts';
import { AccountLink, BlockLink, Hex, TokenLink } from '../../components/links.tsx';
import { Notice, Page } from '../../components/page.tsx';
import { NotFound } from '../../components/problem.tsx';
import { StatusTrack } from '../../components/status-track.tsx';
import { revertText } from '../../data/revert-text.ts';
import { useStatus } from '../../data/transaction-status.ts';
import { type Transfer, transfersOf } from '../../data/transfers.ts';
import { useTransaction } from './query.ts';

type TransactionData = NonNullable<
  NonNullable<NonNullable<ReturnType<typeof useTransaction>['response']>['data']>['transaction']
>;

/** `/explore/tx/<hash>`. */
export function TransactionPage({ hash }: { readonly hash: string }) {
  const query = useTransaction(hash);
  const update = useStatus(hash);
  return (
    <Page kind="Transaction" title={shortHex(hash, 8)} query={query}>
      {({ transaction }) => (
        <>
          <StatusTrack
            update={update}
            isFinal={transaction?.block?.finalized ?? null}
            isReverted={transaction?.status === '0x0' || update?.succeeded === false}
          />
          <LastKnown transaction={transaction} />
        </>
      )}
    </Page>
  );
}

/** A transaction, or how it was before a reorg removed it and the node dropped it. */
function LastKnown({ transaction }: { readonly transaction: TransactionData | null }) {
  const [known, setKnown] = useState(transaction);
  if (transaction !== null && transaction !== known) setKnown(transaction);
  if (transaction !== null) return <TransactionContents transaction={transaction} />;
  if (known === null)
    return (
      <NotFound subject="transaction with this hash">
        The node does not know it: check the hash and the chain. This page shows the transaction once the node knows it.
      </NotFound>
    );
  return (
    <>
      <Notice>The node no longer knows this transaction. It was:</Notice>
      <div className="undone">
        <TransactionContents transaction={known} />
      </div>
    </>
  );
}

function TransactionContents({ transaction }: { readonly transaction: TransactionData }) {
  const { decoded, logs, block, gasUsed, effectiveGasPrice } = transaction;
  const fee = gasUsed && effectiveGasPrice ? toBigInt(gasUsed) * toBigInt(effectiveGasPrice) : null;
  return (
    <>
      <Facts
        facts={{
          Block: block && (
            <>
              <BlockLink number={block.number} />, <Age timestamp={block.timestamp} />
            </>
          ),
          From: <AccountLink account={transaction.from} />,
          To: <AccountLink account={transaction.to} />,
          'Created contract': transaction.createdContract && <AccountLink account={transaction.createdContract} />,
          Value: `${shortDecimal(transaction.valueIn)} ether`,
          Fee: fee === null ? null : `${formatAmount(String(fee), 18)} ether`,
          Gas: gasUsed
            ? `${formatInteger(gasUsed)} of ${formatInteger(transaction.gas)}, at ${formatFee(effectiveGasPrice ?? '0x0')}`
            : `at most ${formatInteger(transaction.gas)}`,
          Nonce: formatInteger(transaction.nonce),
          Hash: <Hex value={transaction.hash} whole />,
        }}
      />
      {(decoded || transaction.inputData !== '0x') && (
        <Section title="Call" note={decoded?.standard}>
          <p className="signature">
            <code>{decoded?.signature ?? `unknown function ${transaction.inputData.slice(0, 10)}`}</code>
          </p>
          {decoded && <DecodedArguments values={decoded.arguments} />}
          {transaction.revertReason && transaction.revertReason !== '0x' && (
            <p className="bad">
              Reverted: {revertText(transaction.revertReason) ?? <Hex value={transaction.revertReason} whole />}
            </p>
          )}
        </Section>
      )}
      <Transfers transfers={transfersOf(transaction)} />
      {logs && logs.length > 0 && (
        <Section title="Events" note={logs.length}>
          <ol className="events">
            {logs.map((log) => (
              <li key={log.id}>
                <p className="signature">
                  <code>{log.decoded?.signature ?? 'unknown event'}</code> <small>of</small> <AccountLink account={log.account} />
                </p>
                {log.decoded && <DecodedArguments values={log.decoded.arguments} />}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

const Transfers = ({ transfers }: { readonly transfers: readonly Transfer[] }) =>
  transfers.length > 0 && (
    <Section title="Transfers" note={transfers.length}>
      <ul className="transfers">
        {transfers.map(({ key, from, to, amount, token, isId }) => (
          <li key={key}>
            <AccountLink account={{ address: from }} /> <i>→</i> <AccountLink account={{ address: to }} />
            <b>
              {isId && `#${amount}`}
              {!isId && (token ? formatAmount(amount, token.decimals) : shortDecimal(amount))}{' '}
              {token ? <TokenLink token={token} /> : 'ether'}
            </b>
          </li>
        ))}
      </ul>
    </Section>
  );
