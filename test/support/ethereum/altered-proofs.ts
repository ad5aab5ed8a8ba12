/** A proof with every byte changed, with every node left out, replaced, extended or swapped with another, and with further nodes. */
export function* alteredProofs(proof: readonly string[]): Generator<string[]> {
  for (const [i, node] of proof.entries()) {
    for (let at = 2; at < node.length; at += 2) {
      const byte = Number.parseInt(node.slice(at, at + 2), 16);
      for (const changed of [byte ^ 1, byte ^ 0x80, byte ? 0 : 0xff])
        yield proof.with(i, node.slice(0, at) + changed.toString(16).padStart(2, '0') + node.slice(at + 2));
    }
    yield proof.toSpliced(i, 1);
    for (const other of ['0x', '0xc0', node.slice(0, -2), `${node}00`, `${node}zz`, '']) yield proof.with(i, other);
    for (let j = 0; j < i; j++) yield proof.with(i, proof[j]!).with(j, node);
    for (const added of [...proof, '0x', '0x80', '']) for (const at of [i, i + 1]) yield proof.toSpliced(at, 0, added);
  }
}
