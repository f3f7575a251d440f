import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Fault } from '../../support/simulated/server/faults.ts'
import type { Recipe } from '../report/recipe.ts'
import type { Engines } from './engines-here.ts'
import type { Numbered, Order, Told } from './host-engines.ts'

/** A simulated engine in another process. */
export type EngineElsewhere = {
  readonly socket: string
  readonly endpoint: string
  off(): Promise<unknown>
  on(): Promise<unknown>
  /** Has calls answered like this until the returned function is called. */
  fault(call: RegExp, fault: Fault): Promise<() => Promise<unknown>>
}

/** An engine has a socket of its own, and up to five connections: the limit for one process is 20,000 files. */
const mostInOne = 3_000

/** Prepares simulated engines in processes of their own, which end with this one. They can pull images of these names. */
export function enginesElsewhere(images: readonly string[]): Engines<EngineElsewhere> {
  const stack = new AsyncDisposableStack()
  const hosts: { readonly host: Host; count: number }[] = []
  const engines: EngineElsewhere[] = []
  const hostWithRoom = () => {
    const last = hosts.at(-1)
    if (last !== undefined && last.count < mostInOne) return last
    const host = { host: stack.use(startHost(images)), count: 0 }
    hosts.push(host)
    return host
  }
  return {
    async open(count, recipe = []) {
      const opening: Promise<readonly EngineElsewhere[]>[] = []
      for (let left = count; left > 0; ) {
        const one = hostWithRoom()
        const share = Math.min(left, mostInOne - one.count)
        opening.push(openOn(one.host, one.count, share, recipe))
        one.count += share
        left -= share
      }
      for (const opened of await Promise.all(opening)) engines.push(...opened)
      return engines
    },
    async recipe() {
      const [first] = hosts
      if (first === undefined) throw new Error('there is no engine')
      return first.host.order({ do: 'recipe' })
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function openOn(
  host: Host,
  first: number,
  count: number,
  recipe: Recipe,
): Promise<readonly EngineElsewhere[]> {
  const opened: readonly Pick<EngineElsewhere, 'socket' | 'endpoint'>[] = await host.order({
    ...{ do: 'open', count, recipe },
  })
  return opened.map((one, index) => {
    const engine = first + index
    return {
      ...one,
      off: () => host.order({ do: 'off', engine }),
      on: () => host.order({ do: 'on', engine }),
      async fault(call, fault) {
        const set = await host.order({ do: 'fault', engine, call, fault })
        return () => host.order({ do: 'mend', fault: set })
      },
    }
  })
}

type Host = AsyncDisposable & {
  /** Returns what it tells once this is done. */
  order(order: Order): Promise<ReturnType<typeof JSON.parse>>
}

function startHost(images: readonly string[]): Host {
  const program = join(import.meta.dirname, 'host-engines.ts')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, program, ...images], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  child.on('message', ({ number, told, error }: Told) => {
    const asked = waiting.get(number)
    waiting.delete(number)
    if (error === undefined) asked?.resolve(told)
    else asked?.reject(new Error(error))
  })
  child.once('exit', code => {
    for (const { reject } of waiting.values()) reject(new Error(`the engines ended: ${code}`))
  })
  let number = 0
  const order: Host['order'] = order => {
    number += 1
    const asked = Promise.withResolvers<unknown>()
    waiting.set(number, asked)
    child.send({ number, order } satisfies Numbered)
    return asked.promise
  }
  return {
    order,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      await order({ do: 'end' })
      child.disconnect()
      child.kill()
      await exited
    },
  }
}
