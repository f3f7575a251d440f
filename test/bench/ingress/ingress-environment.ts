import { networkInterfaces } from 'node:os'
import type { Files } from '../../support/git/repository.ts'
import { pushCaddy } from '../../support/images/caddy.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { freePort } from '../../support/network/free-port.ts'
import { type MeasuredEnvironment, measuredEnvironment } from '../tallyman.ts'
import type { IngressInput } from './measure-ingress.ts'

/**
 * An environment whose ingress listens on loopback, and on an address of the machine; on a Swarm on all addresses of its
 * nodes.
 */
export type IngressEnvironment = MeasuredEnvironment & {
  readonly port: number
  /** Of the machine, and not loopback: what is asked there goes to a container by the kernel alone. */
  readonly address: string
}

export async function ingressEnvironment(
  input: IngressInput,
  healthyTime: string,
  sites?: readonly object[],
): Promise<IngressEnvironment> {
  const caddy = await pushCaddy(input.registry, 'bench-caddy', '2')
  const [port, https] = [await freePort(), await freePort()]
  const address = hostAddress()
  const where = sites === undefined ? { addresses: ['127.0.0.1', address] } : {}
  const ingress = {
    ...{ image: caddy.reference, http: { port, ...where }, https: { port: https, ...where } },
  }
  const config = { healthyTime, ingress, ...(sites === undefined ? {} : { sites }) }
  return { ...(await measuredEnvironment(input, config)), port, address }
}

/** Applications of one service each, `web`, as files of an environment. */
export function filesOf(applications: Readonly<Record<string, WebService>>): Files {
  const names = Object.keys(applications)
  const manifest = { skipConfirmation: true, services: names.map(name => ({ name })) }
  return {
    'manifest.json': JSON.stringify(manifest),
    ...Object.fromEntries(
      Object.entries(applications).map(([name, { image, hosts, env = {}, ...service }]) => [
        `applications/${name}.yaml`,
        JSON.stringify({
          name,
          services: [
            {
              name: 'web',
              ...service,
              ...(hosts.length === 0 ? {} : { ingress: hosts.map(host => ({ host, port: 8000 })) }),
              containers: [{ name: 'app', image: `${image.reference}@${image.digest}`, env }],
            },
          ],
        }),
      ]),
    ),
  }
}

export type WebService = {
  readonly image: PushedImage
  readonly hosts: readonly string[]
  readonly replicas: number
  readonly env?: Readonly<Record<string, string>>
}

/** One of the machine's own. */
function hostAddress(): string {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const outer = own.find(({ family, internal }) => family === 'IPv4' && !internal)
  if (outer === undefined) throw new Error('this machine has no address but that of loopback')
  return outer.address
}
