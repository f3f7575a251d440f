import type { Files } from '../../support/git/repository.ts'

/** What fills an environment up to a limit of `lib/limits.ts`. `image` is `host/name`, with the tag 1. */
export type Largest = { readonly what: string; readonly files: (image: string) => Files }

/** Each of them is at most 10 MB. */
export const largest: readonly Largest[] = [
  {
    what: '10,000 services of a manifest',
    files: image => environment(repeated(10_000, index => entry(`s${index}`, image))),
  },
  {
    what: '10,000 small specifications',
    files: image => ({
      ...environment(repeated(10_000, index => entry(`a${index}`, image))),
      ...Object.fromEntries(repeated(10_000, index => yamlOf(`a${index}`, image))),
    }),
  },
  {
    what: '10,000 applications that require one another in a chain',
    files: image =>
      applications(image, 10_000, index => ({
        ...(index === 0 ? {} : { requires: { [`a${index - 1}`]: '*' } }),
        services: [{ name: 'web', containers: [{ name: 'web', image }] }],
      })),
  },
  {
    what: '1,500 applications with 22 kB from variables each',
    files: image =>
      applications(image, 1_500, () => ({
        services: [
          {
            name: 'web',
            variables: [{ name: 'LONG', value: 'x'.repeat(1_000) }],
            containers: [{ name: 'web', image, env: named(21, 'V', '${LONG}') }],
          },
        ],
      })),
  },
  {
    what: '400 services with 1,000 variables and 25 replicas each',
    files: image =>
      applications(image, 20, () => ({
        services: repeated(20, index => ({
          name: `s${index}`,
          replicas: 25,
          containers: [{ name: 'web', image, env: named(1_000, 'V', 'x') }],
        })),
      })),
  },
]

function applications(image: string, count: number, specification: (index: number) => object): Files {
  const written = repeated(count, (index): readonly [string, string] => {
    const name = `a${index}`
    return [`applications/${name}.json`, JSON.stringify({ name, ...specification(index) })]
  })
  return {
    ...environment(repeated(count, index => entry(`a${index}`, image))),
    ...Object.fromEntries(written),
  }
}

/** A manifest that includes its services by the thousand, because one file cannot hold ten thousand. */
function environment(services: readonly object[]): Files {
  const parts = repeated(Math.ceil(services.length / 1_000), at =>
    services.slice(at * 1_000, at * 1_000 + 1_000),
  )
  const file = (at: number) => `part-${at}.json`
  return {
    'environments/prod/manifest.json': JSON.stringify({ includes: parts.map((_, at) => file(at)) }),
    ...Object.fromEntries(
      parts.map((part, at) => [`environments/prod/${file(at)}`, JSON.stringify({ services: part })]),
    ),
  }
}

function entry(name: string, image: string): object {
  return { name, containers: [{ dockerName: image, dockerTag: '1' }] }
}

function yamlOf(name: string, image: string): readonly [string, string] {
  const text = `name: ${name}\nservices:\n  - name: web\n    containers:\n      - name: web\n        image: ${image}\n`
  return [`applications/${name}.yaml`, text]
}

function named(count: number, prefix: string, value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(repeated(count, index => [`${prefix}${index}`, value]))
}

function repeated<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
