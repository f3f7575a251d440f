import type { Container, Daemon, HeldPort } from '../container/container.ts'
import { Refusal } from '../server/refusal.ts'

/** Where ports begin that nobody chose. */
const firstFree = 32_768

/** Takes the ports of the host that a container publishes. */
export function takePorts(
  daemon: Daemon,
  { name, hostConfig }: Container,
  endpointId: string,
): readonly HeldPort[] {
  const held = [...daemon.containers.values()].flatMap(({ ports }) => ports)
  const taken: HeldPort[] = []
  for (const [key, bindings] of Object.entries(hostConfig.PortBindings)) {
    const [port = '', protocol = 'tcp'] = key.split('/')
    for (const { HostIp = '', HostPort = '' } of bindings ?? []) {
      const publicPort = HostPort === '' ? freePort([...held, ...taken], protocol) : Number(HostPort)
      for (const ip of HostIp === '' ? ['0.0.0.0', '::'] : [HostIp]) {
        const wanted = { ip, privatePort: Number(port), publicPort, protocol }
        if (held.some(one => clash(one, wanted)))
          throw new Refusal(
            500,
            `driver failed programming external connectivity on endpoint ${name} (${endpointId}): Bind for ${ip}:${publicPort} failed: port is already allocated`,
          )
        taken.push(wanted)
      }
    }
  }
  return taken
}

function clash(a: HeldPort, b: HeldPort): boolean {
  if (a.publicPort !== b.publicPort || a.protocol !== b.protocol) return false
  return a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0'
}

function freePort(held: readonly HeldPort[], protocol: string): number {
  const numbers = new Set(held.filter(one => one.protocol === protocol).map(({ publicPort }) => publicPort))
  let port = firstFree
  while (numbers.has(port)) port += 1
  return port
}

/** Returns the ports of a container as lists show them. */
export function shownPorts({ config, ports }: Container, isUp: boolean): readonly object[] {
  if (!isUp) return []
  const published = ports.map(({ ip, privatePort, publicPort, protocol }) => ({
    ...{ IP: ip, PrivatePort: privatePort, PublicPort: publicPort, Type: protocol },
  }))
  const others = Object.keys(config.ExposedPorts ?? {}).flatMap(key => {
    const [port = '', protocol = 'tcp'] = key.split('/')
    const isPublished = ports.some(one => one.privatePort === Number(port) && one.protocol === protocol)
    return isPublished ? [] : [{ PrivatePort: Number(port), Type: protocol }]
  })
  return [...published, ...others]
}

/** Returns the ports of a container as it is inspected. */
export function portMap({ config, ports }: Container): object {
  const keys = new Set([
    ...Object.keys(config.ExposedPorts ?? {}),
    ...ports.map(({ privatePort, protocol }) => `${privatePort}/${protocol}`),
  ])
  return Object.fromEntries(
    [...keys].map(key => {
      const own = ports.filter(({ privatePort, protocol }) => `${privatePort}/${protocol}` === key)
      const shown = own.map(({ ip, publicPort }) => ({ HostIp: ip, HostPort: String(publicPort) }))
      return [key, shown.length === 0 ? null : shown]
    }),
  )
}
