import type { SshAddress } from './address.ts'

/** What a login needs, as absolute paths. */
export type SshLogin = { readonly keyFile: string; readonly knownHostsFile: string }

/**
 * The arguments of ssh for reading a repository. Nothing counts but the address and the two files: no configuration of
 * the user or the machine, no agent, no other key, no forwarding, no other program, no question to a person, and no host
 * whose key is not in the file.
 */
export function sshArguments(
  { user, host, port, path }: Pick<SshAddress, 'user' | 'host' | 'port' | 'path'>,
  { keyFile, knownHostsFile }: SshLogin,
  connectMs: number,
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
    `git-upload-pack ${quoted(path)}`,
  ]
}

/** Whether ssh would take the path of a file for what it says. */
export function isPlainPath(path: string): boolean {
  return !/["\\%$~\u0000-\u001f\u007f]/.test(path)
}

/** Blanks would part it. */
function fileValue(path: string): string {
  return `"${path}"`
}

/** For the shell that the server hands the command to, as git quotes it. */
function quoted(path: string): string {
  return `'${path.replace(/['!]/g, "'\\$&'")}'`
}
