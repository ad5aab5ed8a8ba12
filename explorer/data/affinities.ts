/** The power and the number of wizards by element, the strongest first. */
export function byAffinity<Name extends string>(wizards: readonly { readonly affinity: Name; readonly power: string }[]) {
  const groups = new Map<Name, { affinity: Name; count: number; power: bigint }>();
  for (const { affinity, power } of wizards) {
    const { count, power: sum } = groups.get(affinity) ?? { count: 0, power: 0n };
    groups.set(affinity, { affinity, count: count + 1, power: sum + BigInt(power) });
  }
  return [...groups.values()].sort((a, b) => (a.power < b.power ? 1 : -1));
}
