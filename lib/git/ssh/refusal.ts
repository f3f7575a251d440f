import type { ErrorCode } from '../../errors/catalogue.ts'
import { Failure } from '../../errors.ts'
import type { Ending } from '../program.ts'
import { foreignText } from '../text.ts'
import type { SshAddress } from './address.ts'
import type { SshLogin } from './command.ts'

/** Returns the failure that fits when ssh, or git on the server, ended before its answer was complete. */
export function refusalOf(
  { url, host }: Pick<SshAddress, 'url' | 'host'>,
  { knownHostsFile }: Pick<SshLogin, 'knownHostsFile'>,
  { code, said }: Ending,
): Failure {
  const failure = (kind: ErrorCode, what: string) => new Failure(kind, `${url}: ${what}`)
  const words = lastWords(said)
  if (code === ofSshItself) {
    const key = [keyTypeIn(said), 'key'].join(' ').trim()
    if (revoked.test(said))
      return failure('git-host-changed', `${host} shows a key that ${knownHostsFile} revokes`)
    if (/has changed/i.test(said))
      return failure('git-host-changed', `${host} shows another ${key} than the one in ${knownHostsFile}`)
    if (/host key (?:is known|verification failed)/i.test(said))
      return failure('git-host-unknown', `the ${key} of ${host} is not in ${knownHostsFile}`)
    const unloaded = /Load key "([^"\n]*)": ([^\r\n]*)/.exec(said)
    if (unloaded !== null) return keyNotLoaded(unloaded[1] ?? '', foreignText(unloaded[2] ?? ''))
    if (/permission denied|too many authentication failures/i.test(said))
      return failure('git-auth-failed', 'the server knows no such user, or does not let this key in')
  }
  if (missing.test(said)) return failure('git-not-found', words)
  return failure('git-unreachable', words === '' ? 'the answer breaks off' : words)
}

/** Whether the host shows a key that can be trusted once somebody has compared it. A revoked one cannot. */
export function isKeyInQuestion({ code }: Failure, { said }: Ending): boolean {
  return code === 'git-host-unknown' || (code === 'git-host-changed' && !revoked.test(said))
}

/** Returns the type of the host's key, as ssh calls it: `ED25519`, `ECDSA`, `RSA`; undefined if it names none. */
export function keyTypeIn(said: string): string | undefined {
  return /\b([A-Z][A-Z0-9-]{0,40}) (?:host key (?:is known|for )|key sent by the remote host)/.exec(said)?.[1]
}

const revoked = /REVOKED HOST KEY/i

function keyNotLoaded(path: string, reason: string): Failure {
  return new Failure('git-key-unusable', `${path}: ssh cannot load it (${reason})`, {
    hint: 'Copy the key again in full: ssh needs all its lines, a line break after the last one, and no carriage returns.',
  })
}

/** The exit code that ssh uses for its own failures. */
const ofSshItself = 255

/**
 * What git, GitHub, GitLab, Gitea and Bitbucket say of a repository that does not exist, or that this key may not read.
 */
const missing =
  /does not appear to be a git repository|repository .{0,200}not (?:found|exist)|could not be found|cannot find repository|no such (?:repository|project)/i

/** Returns the last line that contains information. */
function lastWords(said: string): string {
  const lines = said.split(/[\r\n]+/).map(line => foreignText(line.replace(/^remote: */, '')))
  const telling = lines.filter(line => /[a-z]/i.test(line) && !courtesies.test(line))
  return telling.at(-1) ?? ''
}

/** Lines that git adds to every failure. */
const courtesies = /^(?:fatal: Could not read from remote|Please make sure|and the repository exists)/i
