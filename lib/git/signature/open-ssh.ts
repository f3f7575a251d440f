import { join } from 'node:path'
import { runProgram } from '../program.ts'
import { foreignText } from '../text.ts'
import { passingFiles } from './passing-files.ts'
import type { Signed } from './signed.ts'
import type { SignatureVerdict } from './verdict.ts'

/**
 * Verifies a signature by an SSH key with the system's ssh-keygen, against lines of `allowed_signers`. Fails as
 * `passingFiles` and `runProgram` do.
 */
export async function verifyOpenSsh(
  { payload, signature }: Signed,
  allowedSigners: string,
  storeDir: string,
  signal: AbortSignal,
): Promise<SignatureVerdict> {
  const files = { allowed_signers: `${allowedSigners}\n`, signature }
  await using directory = await passingFiles(storeDir, files)
  const [signers, path] = [join(directory.path, 'allowed_signers'), join(directory.path, 'signature')]
  const keygen = (action: string, ...args: readonly string[]) =>
    runProgram('ssh-keygen', { args: ['-Y', action, ...args, '-s', path], input: payload }, signal)

  const alone = await keygen('check-novalidate', '-n', 'git')
  const key = /^Good "git" signature with \S+ key (SHA256:\S+)$/m.exec(alone.output)?.[1]
  if (alone.code !== 0 || key === undefined)
    return {
      state: 'bad',
      reason: foreignText(alone.said.split('\n')[0] ?? '') || 'ssh-keygen cannot verify it',
    }
  const found = await keygen('find-principals', '-f', signers)
  for (const name of found.code === 0 ? found.output.split('\n').filter(Boolean) : []) {
    const { code } = await keygen('verify', '-f', signers, '-I', name, '-n', 'git')
    if (code === 0) return { state: 'good', signer: { name: foreignText(name), key } }
  }
  if (/has expired|not yet valid/.test(found.said))
    return { state: 'untrusted', reason: `the key ${key} is not valid now` }
  return { state: 'untrusted', reason: `no signer in the configuration has the key ${key}` }
}
