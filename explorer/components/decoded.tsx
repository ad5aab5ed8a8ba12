import { type ArgumentContext, meaningOf, sharedName } from '../data/argument-values.ts';
import { formatAmount, formatPower } from './format.ts';
import { AccountLink, BlockLink, DuelLink, WizardLink } from './links.tsx';

interface DecodedValue {
  readonly name: string | null;
  readonly type: string;
  readonly value: string;
  readonly account: { readonly address: string; readonly label: string | null } | null;
}

interface DecodedArgumentsProps {
  readonly values: readonly DecodedValue[];
  /** Standard of the call or the event; null if it has none. */
  readonly standard: string | null;
  readonly signature: string;
  /** The contract that is called, or that has emitted the event. */
  readonly contract: {
    readonly label: string | null;
    readonly token?: { readonly symbol: string | null; readonly decimals: number | null } | null;
  } | null;
}

/** The arguments of a call or of an event. */
export function DecodedArguments({ values, standard, signature, contract }: DecodedArgumentsProps) {
  const isTournament = standard === 'Tournament' || contract?.label === 'Tournament';
  const context = { isTournament, token: contract?.token, signature };
  const named = values.map((value, index) => ({ ...value, name: value.name ?? sharedName(index, context) }));
  return (
    <dl className="arguments">
      {named.map((argument, index) => (
        // Names may be missing or repeated, and the arguments of a call do not change.
        <div key={index}>
          <dt>
            {argument.name ?? index} <small>{argument.type}</small>
          </dt>
          <dd title={argument.value}>
            <ArgumentValue argument={argument} {...context} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ArgumentValueProps extends ArgumentContext {
  readonly argument: DecodedValue;
}

function ArgumentValue({ argument, ...context }: ArgumentValueProps) {
  const { value, account } = argument;
  if (account) return <AccountLink account={account} whole />;
  const meaning = meaningOf(argument, context);
  switch (meaning?.kind) {
    case 'wizard':
      return <WizardLink id={value} />;
    case 'duel':
      return <DuelLink id={value} />;
    case 'block':
      return (
        <>
          block <BlockLink number={value} />
        </>
      );
    case 'power':
      return formatPower(value);
    case 'amount':
      return `${formatAmount(value, meaning.decimals)} ${meaning.symbol ?? ''}`;
    case 'text':
      return meaning.text;
    default:
      return <code className="whole">{value}</code>;
  }
}
