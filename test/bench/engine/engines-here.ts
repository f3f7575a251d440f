import { type SimulatedEngine, simulatedEngine } from '../../support/simulated/engine.ts'
import { simulatedRegistry } from '../../support/simulated/image/registry.ts'
import { follow, type Recipe, recipeOf } from '../report/recipe.ts'

/** Simulated engines, which share a registry. Disposing of them ends them. */
export type Engines<E> = AsyncDisposable & {
  /** Starts so many more, each with what the recipe makes. Returns them all. */
  open(count: number, recipe?: Recipe): Promise<readonly E[]>
  /** How to make what the first one has. */
  recipe(): Promise<Recipe>
}

/** The tags of every image. The same images have the same digests wherever they are pushed. */
const tags = ['1', '2']

/** Prepares simulated engines in this process, which can pull images of these names. */
export function enginesHere(images: readonly string[]): Engines<SimulatedEngine> {
  const registry = simulatedRegistry()
  for (const image of images) for (const tag of tags) registry.push(image, tag)
  const stack = new AsyncDisposableStack()
  const engines: SimulatedEngine[] = []
  return {
    async open(count, recipe = []) {
      for (let index = 0; index < count; index++) {
        const engine = stack.use(await simulatedEngine({ registry }))
        await follow(recipe, engine)
        engines.push(engine)
      }
      return engines
    },
    async recipe() {
      const [first] = engines
      if (first === undefined) throw new Error('there is no engine')
      return recipeOf(first)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
