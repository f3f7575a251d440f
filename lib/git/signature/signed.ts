/** The signed bytes, and the armoured signature. */
export type Signed = { readonly payload: Buffer; readonly signature: string }

/** Separates a commit from its signature, as git does. Undefined if it has no signature, or more than one. */
export function signedCommit(content: Buffer): Signed | undefined {
  const text = content.toString('latin1')
  const end = text.indexOf('\n\n')
  if (end === -1) return undefined
  const kept: string[] = []
  const signatures: string[][] = []
  let current = kept
  for (const line of text.slice(0, end).split('\n')) {
    const [, name, rest = ''] = /^(gpgsig(?:-sha256)?) (.*)$/.exec(line) ?? []
    if (line.startsWith(' ')) current.push(current === kept ? line : line.slice(1))
    else if (name === undefined) {
      current = kept
      kept.push(line)
    } else {
      // The signature of the SHA-256 form of the commit was not signed either.
      current = [rest]
      if (name === 'gpgsig') signatures.push(current)
    }
  }
  const [signature, second] = signatures
  if (signature === undefined || second !== undefined) return undefined
  return {
    payload: Buffer.from(kept.join('\n') + text.slice(end), 'latin1'),
    signature: `${signature.join('\n')}\n`,
  }
}

/** Separates an annotated tag from the signature after its message. Undefined if it has none. */
export function signedTag(content: Buffer): Signed | undefined {
  const text = content.toString('latin1')
  const at = [...text.matchAll(/^-----BEGIN (?:PGP SIGNATURE|SSH SIGNATURE|SIGNED MESSAGE)-----/gm)].at(
    -1,
  )?.index
  if (at === undefined || at < text.indexOf('\n\n')) return undefined
  return { payload: Buffer.from(text.slice(0, at), 'latin1'), signature: text.slice(at) }
}

/**
 * Returns the commit and the name in a tag, which are signed with it. Undefined if the tag does not point to a commit.
 */
export function tagged(payload: Buffer): { readonly commit: string; readonly name: string } | undefined {
  const [, commit, name] =
    /^object ([0-9a-f]{40})\ntype commit\ntag (.+)\n/.exec(payload.toString('utf8')) ?? []
  return commit === undefined || name === undefined ? undefined : { commit, name }
}
