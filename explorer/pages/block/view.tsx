import { shortHex } from '@grimoire/client';
import { Link } from 'wouter';
import { Time } from '../../components/age.tsx';
import { CallName, Fee, Value } from '../../components/call-name.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { formatFee, formatInteger } from '../../components/format.ts';
import { GasMeter } from '../../components/gas-chart.tsx';
import { AccountLink, CopyableHex, Hex, RecipientLink, TransactionLink, WholeAccount } from '../../components/links.tsx';
import { Notice, Page } from '../../components/page.tsx';
import { NotFound } from '../../components/problem.tsx';
import { Finality, Outcome } from '../../components/status.tsx';
import { stableRows, Table } from '../../components/table.tsx';
import { type DuelSides, Versus } from '../../components/versus.tsx';
import { useLive } from '../../graph/live.tsx';
import { useRemovedRows } from '../../graph/removed-rows.ts';
import { useBlock } from './query.ts';

type BlockData = NonNullable<NonNullable<NonNullable<ReturnType<typeof useBlock>['response']>['data']>['block']>;

/** `/explore/block/<height or hash>`. */
export function BlockPage({ id }: { readonly id: string }) {
  const query = useBlock(id);
  const { removed } = useLive();
  const number = query.isPrevious ? undefined : query.response?.data?.block?.number;
  return (
    <Page kind="Block" title={number === undefined ? shortHex(id) : formatInteger(number)} query={query}>
      {({ block }) =>
        block ? (
          <>
            <RemovedBlocks block={block} />
            <div className={removed.has(block.hash) ? 'undone' : undefined}>
              <BlockContents block={block} isByHash={id.startsWith('0x')} />
            </div>
          </>
        ) : (
          <NotFound subject={/^0x/.test(id) ? 'block with this hash' : `block ${id} yet`}>
            The node does not have it. This page shows it once it exists.
          </NotFound>
        )
      }
    </Page>
  );
}

/** The blocks of this height that a reorg has just removed. */
function RemovedBlocks({ block }: { readonly block: BlockData }) {
  const rows = useRemovedRows(
    [block],
    ({ number }) => number,
    ({ hash }) => hash,
  );
  const removed = rows.filter(({ row, isRemoved }) => isRemoved && row.number === block.number && row.hash !== block.hash);
  return removed.map(({ row, key }) => (
    <p key={key} className="notice removed">
      <span>
        Block {formatInteger(row.number)} <Hex value={row.hash} /> with {row.transactions?.length} transactions
      </span>
    </p>
  ));
}

function BlockContents({ block, isByHash }: { readonly block: BlockData; readonly isByHash: boolean }) {
  const number = Number(block.number);
  const isRemoved = block.confirmations === null;
  return (
    <>
      <nav className="steps" aria-label="Neighbours">
        {number > 0 && <Link href={`/block/${number - 1}`}>← {formatInteger(number - 1)}</Link>}
        <Link href={`/block/${number + 1}`}>{formatInteger(number + 1)} →</Link>
      </nav>
      {isRemoved && isByHash && (
        <Notice>
          A reorg has removed this block. <Link href={`/block/${number}`}>Block {number} of the canonical chain</Link>
        </Notice>
      )}
      <Facts
        facts={{
          Status: <Finality confirmations={block.confirmations} isFinal={block.finalized} />,
          Time: <Time timestamp={block.timestamp} />,
          'Gas used': <GasMeter used={Number(block.gasUsed)} limit={Number(block.gasLimit)} />,
          'Base fee': block.baseFeePerGas && formatFee(block.baseFeePerGas),
          'Next base fee': block.nextBaseFeePerGas && formatFee(block.nextBaseFeePerGas),
          Size: block.size && `${formatInteger(block.size)} bytes`,
          'Fee recipient': <WholeAccount account={block.miner} />,
          Hash: <CopyableHex value={block.hash} name="hash" href={`/block/${block.hash}`} />,
          Parent: (
            <CopyableHex
              value={block.parentHash}
              name="hash of the parent"
              href={number > 0 ? `/block/${block.parentHash}` : undefined}
            />
          ),
          'State root': <Hex value={block.stateRoot} whole />,
          'Extra data': block.extraData === '0x' ? null : <Hex value={block.extraData} whole />,
        }}
      />
      <Section title="Transactions" note={block.transactions?.length}>
        <Table
          path="block.transactions"
          empty="The block is empty."
          rows={stableRows(block.transactions ?? [], ({ hash }) => hash)}
          columns={[
            { title: 'Hash', cell: ({ hash }) => <TransactionLink hash={hash} /> },
            { title: 'Call', cell: (transaction) => <CallName transaction={transaction} /> },
            { title: 'From', line: 2, cell: ({ from }) => <AccountLink account={from} /> },
            { title: 'To', line: 2, cell: (transaction) => <RecipientLink {...transaction} /> },
            { title: 'Ether', isNumber: true, cell: (transaction) => <Value {...transaction} /> },
            { title: 'Fee', isNumber: true, line: 2, cell: (transaction) => <Fee transaction={transaction} /> },
            { title: 'Result', isNumber: true, line: 3, cell: ({ status }) => <Outcome status={status} /> },
          ]}
        />
      </Section>
      <BlockDuels title="Duels that started" duels={block.duelsStarted?.nodes ?? []} />
      <BlockDuels title="Duels that ended" duels={block.duelsEnded?.nodes ?? []} />
    </>
  );
}

const BlockDuels = ({ title, duels }: { readonly title: string; readonly duels: readonly (DuelSides | null)[] }) =>
  duels.length > 0 && (
    <Section title={title}>
      <ul className="duels">
        {duels.map(
          (duel) =>
            duel && (
              <li key={duel.id}>
                <Versus duel={duel} />
              </li>
            ),
        )}
      </ul>
    </Section>
  );
