import { steadyMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import type { Signer } from '../../state/repository/revision.ts'
import { shortName } from '../ref.ts'
import { readSigningKeys, type SigningKeys } from './keys.ts'
import { verifyOpenPgp } from './open-pgp.ts'
import { verifyOpenSsh } from './open-ssh.ts'
import { type Signed, signedCommit, signedTag, tagged } from './signed.ts'
import type { SignatureVerdict } from './verdict.ts'

/** What has to be signed, and with which keys. `head`: the commit itself. `tag`: the annotated tag that leads to it. */
export type Verification = { readonly mode: 'head' | 'tag'; readonly keys: readonly string[] }

/** An object of a repository that may have a signature. */
export type SignedObject =
  | { readonly kind: 'commit'; readonly commit: string; readonly content: Buffer }
  /** `ref`: the name under which the tag was found. */
  | { readonly kind: 'tag'; readonly commit: string; readonly ref: string; readonly content: Buffer }

/**
 * Returns who signed an object. Fails with `signature-missing`, `signature-bad`, `signature-untrusted`,
 * `git-store-unwritable` or as the programs do.
 */
export type Verify = (object: SignedObject, signal: AbortSignal) => Promise<Signer>

/**
 * Returns a verifier for the keys in these files. The files are read at each call, so that a removed key is refused at
 * once. A good result for an object is remembered for some minutes, as long as the keys are the same. What the programs
 * need meanwhile is below `storeDir`.
 */
export function verifierOf(paths: readonly string[], storeDir: string): Verify {
  let known: { readonly id: string; readonly signer: Signer; readonly atMs: number } | undefined
  return async (object, signal) => {
    const keys = await readSigningKeys(paths)
    const id = [keys.mark, object.kind, object.commit, object.content.toString('latin1')].join('\0')
    if (known?.id === id && steadyMs() - known.atMs < rememberMs) return known.signer
    const signer = await verified(object, keys, storeDir, signal)
    known = { id, signer, atMs: steadyMs() }
    return signer
  }
}

/** A key may expire in the meantime. */
const rememberMs = 5 * 60_000

async function verified(
  object: SignedObject,
  keys: SigningKeys,
  storeDir: string,
  signal: AbortSignal,
): Promise<Signer> {
  const what = object.kind === 'tag' ? `tag ${shortName(object.ref)}` : `commit ${object.commit}`
  const signed = object.kind === 'tag' ? signedTag(object.content) : signedCommit(object.content)
  if (signed === undefined)
    throw new Failure('signature-missing', `${what}: has no signature, or more than one`)
  const verdict = await verdictOn(signed, keys, storeDir, signal)
  if (verdict.state !== 'good')
    throw new Failure(
      verdict.state === 'bad' ? 'signature-bad' : 'signature-untrusted',
      `${what}: ${verdict.state === 'bad' ? 'has a bad signature' : 'is signed, but not with a trusted key'}: ${verdict.reason}`,
    )
  if (object.kind === 'tag') demandMeant(object, signed, what)
  return verdict.signer
}

async function verdictOn(
  signed: Signed,
  keys: SigningKeys,
  storeDir: string,
  signal: AbortSignal,
): Promise<SignatureVerdict> {
  const { signature } = signed
  if (signature.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    if (keys.allowedSigners === '') return noKeyOf('SSH')
    return verifyOpenSsh(signed, keys.allowedSigners, storeDir, signal)
  }
  if (signature.startsWith('-----BEGIN PGP SIGNATURE-----')) {
    if (keys.openPgp.length === 0) return noKeyOf('OpenPGP')
    return verifyOpenPgp(signed, keys.openPgp, storeDir, signal)
  }
  return { state: 'bad', reason: 'tallyman does not know this kind of signature' }
}

function noKeyOf(kind: string): SignatureVerdict {
  return { state: 'untrusted', reason: `the configuration has no ${kind} keys` }
}

/** Fails for a genuine tag that has another name or points to something else: it proves nothing about this commit. */
function demandMeant(
  { ref, commit }: { ref: string; commit: string },
  { payload }: Signed,
  what: string,
): void {
  const meant = tagged(payload)
  if (meant?.commit === commit && meant.name === shortName(ref)) return
  const said = meant === undefined ? 'for no commit' : `as ${meant.name}, for commit ${meant.commit}`
  throw new Failure('signature-bad', `${what}: was signed ${said}`)
}
