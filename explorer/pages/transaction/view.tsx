import { shortHex } from '@grimoire/client';
import { useState } from 'react';
import { Time } from '../../components/age.tsx';
import { DecodedArguments } from '../../components/decoded.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { exactFee, feeTotal, formatDecimal, formatInteger } from '../../components/format.ts';
import { AccountLink, BlockLink, CopyableHex, contractOf, Hex, WholeAccount } from '../../components/links.tsx';
import { Notice, Page } from '../../components/page.tsx';
import { NotFound } from '../../components/problem.tsx';
import { StatusTrack } from '../../components/status-track.tsx';
import { TransferAmount } from '../../components/transfer-amount.tsx';
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
          {(transaction !== null || (update !== null && update.status !== 'UNKNOWN')) && (
            <StatusTrack
              update={update}
              isFinal={transaction?.block?.finalized ?? null}
              isKnown={transaction !== null}
              isReverted={transaction?.status === '0x0' || update?.succeeded === false}
            />
          )}
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

/** Names of the types of EIP-2718. */
const TYPES = ['legacy', 'access list', 'fee market', 'blobs', 'set code'];

function TransactionContents({ transaction }: { readonly transaction: TransactionData }) {
  const { logs, block, gasUsed, effectiveGasPrice, maxFeePerGas, maxPriorityFeePerGas, type, index } = transaction;
  const { blobGasUsed, blobGasPrice } = transaction;
  const isUndone = transaction.status === '0x0' && transaction.valueIn !== '0';
  const created = contractOf(transaction.createdContract, transaction.status);
  return (
    <>
      <Facts
        facts={{
          Hash: <CopyableHex value={transaction.hash} name="hash" />,
          Block: block && (
            <>
              <BlockLink number={block.number} />, position {formatInteger(index ?? 0)}
            </>
          ),
          Time: block && <Time timestamp={block.timestamp} />,
          From: <WholeAccount account={transaction.from} />,
          To: transaction.to && <WholeAccount account={transaction.to} />,
          'Created contract': created && <WholeAccount account={created} />,
          Value: `${formatDecimal(transaction.valueIn)} ether${isUndone ? ', not transferred' : ''}`,
          Fee: gasUsed && effectiveGasPrice && `${formatDecimal(feeTotal(gasUsed, effectiveGasPrice))} ether`,
          'Fee for blobs': blobGasUsed && blobGasPrice && `${formatDecimal(feeTotal(blobGasUsed, blobGasPrice))} ether`,
          Gas: gasUsed
            ? `${formatInteger(gasUsed)} of ${formatInteger(transaction.gas)}`
            : `at most ${formatInteger(transaction.gas)}`,
          'Gas price': effectiveGasPrice && exactFee(effectiveGasPrice),
          'Max fee':
            maxFeePerGas && maxPriorityFeePerGas && `${exactFee(maxFeePerGas)}, priority ${exactFee(maxPriorityFeePerGas)}`,
          Type: type && `${Number(type)} (${TYPES[Number(type)] ?? 'unknown'})`,
          Nonce: formatInteger(transaction.nonce),
        }}
      />
      <Call transaction={transaction} />
      <Transfers transfers={transfersOf(transaction)} />
      {logs && logs.length > 0 && (
        <Section title="Events" note={logs.length}>
          <ol className="events">
            {logs.map((log) => (
              <li key={log.id}>
                <p className="signature">
                  <code>{log.decoded?.signature ?? 'unknown event'}</code> <small>of</small> <AccountLink account={log.account} />
                  <small>, index {formatInteger(log.index)}</small>
                </p>
                {log.decoded ? (
                  <DecodedArguments {...log.decoded} values={log.decoded.arguments} contract={log.account} />
                ) : (
                  <RawEvent log={log} />
                )}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

/** The decoded call or the created contract, why it reverted, and the input data. */
function Call({ transaction }: { readonly transaction: TransactionData }) {
  const { decoded, inputData, status, to } = transaction;
  if (!decoded && inputData === '0x' && status !== '0x0') return null;
  return (
    <Section title={to ? 'Call' : 'Contract creation'} note={decoded?.standard}>
      {to && inputData !== '0x' && (
        <p className="signature">
          <code>{decoded?.signature ?? `unknown function ${inputData.slice(0, 10)}`}</code>
        </p>
      )}
      {decoded && <DecodedArguments {...decoded} values={decoded.arguments} contract={to} />}
      {status === '0x0' && (
        <p className="bad">
          <RevertReason transaction={transaction} />
        </p>
      )}
      <details>
        <summary>
          {to ? 'Input data' : 'Creation code'}, {formatInteger(inputData.length / 2 - 1)} bytes
        </summary>
        <CopyableHex value={inputData} name="input data" />
      </details>
    </Section>
  );
}

function RevertReason({ transaction: { gas, gasUsed, revertReason } }: { readonly transaction: TransactionData }) {
  if (revertReason && revertReason !== '0x')
    return <>Reverted: {revertText(revertReason) ?? <Hex value={revertReason} whole />}</>;
  return gasUsed === gas ? 'Reverted without a reason. It has used all of its gas.' : 'Reverted without a reason.';
}

/** The topics and the data of an event that no known signature describes. */
const RawEvent = ({ log: { topics, data } }: { readonly log: NonNullable<TransactionData['logs']>[number] }) => (
  <dl className="arguments">
    {topics.map((topic, index) => (
      <div key={index}>
        <dt>topic {index}</dt>
        <dd>
          <Hex value={topic} whole />
        </dd>
      </div>
    ))}
    <div>
      <dt>
        data <small>{formatInteger(data.length / 2 - 1)} bytes</small>
      </dt>
      <dd>
        <CopyableHex value={data} name="data" />
      </dd>
    </div>
  </dl>
);

const Transfers = ({ transfers }: { readonly transfers: readonly Transfer[] }) =>
  transfers.length > 0 && (
    <Section title="Transfers" note={transfers.length}>
      <ul className="transfers">
        {transfers.map((transfer) => (
          <li key={transfer.key}>
            <AccountLink account={transfer.from} /> <i>→</i> <AccountLink account={transfer.to} />
            <b>
              <TransferAmount transfer={transfer} />
            </b>
          </li>
        ))}
      </ul>
    </Section>
  );
