import { execIn } from '../engine/exec-in.ts'
import { waitUntil } from '../time/wait-until.ts'

/** How an authority finds out whose a host is; one of an older Caddy takes what it is offered. */
export type Challenge = 'http-01' | 'tls-alpn-01'

/** What a container of a Caddy says to be an authority that has the certificate for its own name or address from itself. */
export function authorityAs(name: string, challenge: Challenge | undefined): object {
  const handler = { handler: 'acme_server', ...(challenge === undefined ? {} : { challenges: [challenge] }) }
  const acme = {
    listen: [':443'],
    automatic_https: { disable: true },
    // Whoever asks for an address names none in the handshake.
    tls_connection_policies: [{ default_sni: name }],
    routes: [{ handle: [handler] }],
  }
  const configuration = {
    admin: { disabled: true },
    apps: {
      http: { servers: { acme } },
      tls: {
        certificates: { automate: [name] },
        automation: { policies: [{ subjects: [name], issuers: [{ module: 'internal' }] }] },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  }
  return {
    Env: [`CONFIGURATION=${JSON.stringify(configuration)}`],
    Entrypoint: ['sh', '-c', 'echo "$CONFIGURATION" | exec caddy run --config -'],
  }
}

/** The root, in PEM, that vouches for the authority in a container that has been started. */
export function rootOf(socket: string, container: string): Promise<string> {
  return waitUntil('it has a root', async () => {
    const said = await execIn(socket, container, 'cat /data/caddy/pki/authorities/local/root.crt')
    return said.startsWith('-----BEGIN') && said
  })
}
