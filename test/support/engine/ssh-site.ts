import type { SiteEndpoint, SshSettings } from '../../../lib/endpoint.ts'
import { type SshServer, startSshServer } from '../network/ssh-server.ts'
import { runningSocket } from '../suite/env.ts'

/** An engine behind an SSH server of this machine. */
export type SshSite = AsyncDisposable & {
  readonly server: SshServer
  /** Under another port, or with other files, where the test says so. */
  site(over?: { readonly port?: number; readonly ssh?: Partial<SshSettings> }): SiteEndpoint & {
    readonly endpoint: string
    readonly ssh: SshSettings
  }
}

/** `settings` are lines of sshd_config; `socket` is that of the engine, the one of this machine if none is given. */
export async function sshSite({
  settings = [],
  socket = runningSocket(),
}: {
  readonly settings?: readonly string[]
  readonly socket?: string
} = {}): Promise<SshSite> {
  const server = await startSshServer({ settings })
  const { keyFile, knownHostsFile } = server
  return {
    server,
    site: ({ port, ssh = {} } = {}) => ({
      name: 'store-1',
      endpoint: server.urlOf(socket, port),
      ssh: { keyFile, knownHostsFile, ...ssh },
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
