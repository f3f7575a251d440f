import type { Fault } from '../../support/simulated/server/faults.ts'
import type { Recipe } from '../report/recipe.ts'
import { enginesHere } from './engines-here.ts'

/** What the bench asks a process with simulated engines to do. Each engine has a number, from 0. */
export type Order =
  | { readonly do: 'open'; readonly count: number; readonly recipe: Recipe }
  | { readonly do: 'recipe' | 'end' }
  | { readonly do: 'off' | 'on'; readonly engine: number }
  | { readonly do: 'fault'; readonly engine: number; readonly call: RegExp; readonly fault: Fault }
  | { readonly do: 'mend'; readonly fault: number }

/** An order, and what is told once it is carried out. Answers come in any order. */
export type Numbered = { readonly number: number; readonly order: Order }
export type Told = { readonly number: number; readonly told?: unknown; readonly error?: string }

/** Started with the names of images: simulated engines in a process of their own, which does what it is told. */
const engines = enginesHere(process.argv.slice(2))
const faults: (() => void)[] = []

async function carryOut(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'open': {
      const all = await engines.open(order.count, order.recipe)
      return all.slice(-order.count).map(({ socket, endpoint }) => ({ socket, endpoint }))
    }
    case 'recipe':
      return engines.recipe()
    case 'off':
    case 'on':
      return (await engineOf(order.engine))[order.do]()
    case 'fault':
      return faults.push((await engineOf(order.engine)).faults.set(order.call, order.fault)) - 1
    case 'mend':
      return faults[order.fault]?.()
    case 'end':
      return engines[Symbol.asyncDispose]()
  }
}

async function engineOf(number: number) {
  const engine = (await engines.open(0))[number]
  if (engine === undefined) throw new Error(`there is no engine ${number}`)
  return engine
}

process.on('message', ({ number, order }: Numbered) => {
  const tell = (told: Omit<Told, 'number'>) => process.send?.({ number, ...told })
  carryOut(order).then(
    told => tell(order.do === 'mend' ? {} : { told }),
    error => tell({ error: String(error) }),
  )
})
