import type { SimulatedEngine } from '../../support/simulated/engine.ts'

/** The calls that make what one simulated engine has on another one that has nothing. */
export type Recipe = readonly { readonly call: string; readonly body?: object }[]

/** Returns how to make the running containers of an engine, with their images and networks. */
export async function recipeOf(engine: SimulatedEngine): Promise<Recipe> {
  const images: ReturnType<typeof JSON.parse> = await engine.ask('GET /images/json')
  const networks: ReturnType<typeof JSON.parse> = await engine.ask('GET /networks')
  const recipe: Recipe[number][] = []
  for (const { RepoDigests } of images)
    for (const digest of RepoDigests) {
      const [fromImage, tag] = digest.split('@')
      recipe.push({ call: `POST /images/create?fromImage=${fromImage}&tag=${tag}` })
    }
  for (const { Name, Driver, Internal, Labels, Options } of networks)
    if (!['bridge', 'host', 'none'].includes(Name))
      recipe.push({ call: 'POST /networks/create', body: { Name, Driver, Internal, Labels, Options } })
  for (const container of engine.containers())
    recipe.push(
      { call: `POST /containers/create?name=${container.name}`, body: bodyOf(container) },
      { call: `POST /containers/${container.name}/start` },
    )
  return recipe
}

/** Makes it on an engine. */
export async function follow(recipe: Recipe, engine: SimulatedEngine): Promise<void> {
  for (const { call, body } of recipe) await engine.ask(call, body)
}

/** Returns what was asked for when a container was created; what came from its id is left out. */
function bodyOf({
  id,
  config,
  hostConfig,
  endpoints,
}: ReturnType<SimulatedEngine['containers']>[number]): object {
  const { Hostname, ...own } = config
  const isGiven = (name: string) => !id.startsWith(name)
  const attached = [...endpoints].map(
    ([network, { aliases }]) => [network, { Aliases: aliases?.filter(isGiven) ?? null }] as const,
  )
  return {
    ...own,
    ...(isGiven(Hostname) ? { Hostname } : {}),
    HostConfig: hostConfig,
    NetworkingConfig: { EndpointsConfig: Object.fromEntries(attached) },
  }
}
