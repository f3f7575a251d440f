import type { GitService } from '../wire/refs.ts'
import type { SshAddress } from './address.ts'

/** The files of a login, as absolute paths. */
export type SshLogin = { readonly keyFile: string; readonly knownHostsFile: string }

/**
 * Returns the arguments of ssh for a service of a repository. Only the address and the two files count: ssh uses no
 * configuration of the user or the machine, no agent, no other key, no forwarding and no other program. It asks nobody
 * anything, and connects only to a host whose key is in the file.
 */
export function sshArguments(
  { user, host, port, path }: Pick<SshAddress, 'user' | 'host' | 'port' | 'path'>,
  { keyFile, knownHostsFile }: SshLogin,
  connectMs: number,
  service: GitService = 'git-upload-pack',
): readonly string[] {
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: fileValue(knownHostsFile),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    VerifyHostKeyDNS: 'no',
    CheckHostIP: 'no',
    IdentityFile: fileValue(keyFile),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    AddKeysToAgent: 'no',
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    EscapeChar: 'none',
    RequestTTY: 'no',
    SendEnv: 'GIT_PROTOCOL',
    ConnectionAttempts: '1',
    ConnectTimeout: String(Math.max(Math.ceil(connectMs / 1000), 1)),
    LogLevel: 'ERROR',
  }
  return [
    '-F',
    '/dev/null',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    '-p',
    String(port),
    '-l',
    user,
    '--',
    host,
    `${service} ${quoted(path)}`,
  ]
}

/** Whether ssh takes the path of a file literally. */
export function isPlainPath(path: string): boolean {
  return !/["\\%$~\u0000-\u001f\u007f]/.test(path)
}

/** Without quotes, ssh would split the path at blanks. */
function fileValue(path: string): string {
  return `"${path}"`
}

/** Quotes a path, as git does, for the shell in which the server runs the command. */
function quoted(path: string): string {
  return `'${path.replace(/['!]/g, "'\\$&'")}'`
}
