import { expect } from 'chai'
import { formatProblem } from '../../../../../lib/errors.ts'
import { Secret } from '../../../../../lib/state/secret/secret.ts'
import type { Secrets } from '../../../../../lib/state/secret/secrets.ts'
import { container, service } from '../../built.ts'

const texts = new Map([
  ['db/password', 'hunter2'],
  ['vault/db/user', 'ada'],
  ['db/binary', 'a\0b'],
  ['odd/s/a\0b', 'x'],
])

const secrets: Secrets = {
  find: name => (texts.has(name) ? secrets.compose(texts.get(name) ?? '') : undefined),
  below: prefix =>
    [...texts.keys()].flatMap(name => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
  compose: text => new Secret(text, `mark of ${text.length}`),
  mark: 'all',
}

/** What the environment is made of; a secret as its text in angle brackets. */
function env(lines: string, more = '') {
  const { instance, problems } = service(lines, more, { secrets })
  if (problems.length > 0) return problems.map(problem => problem.replace(/^\S+ \/services\/0\//, ''))
  const values = Object.entries(instance?.containers[0].env ?? {})
  return Object.fromEntries(
    values.map(([name, value]) => [name, value instanceof Secret ? `<${value.reveal()}>` : value]),
  )
}

describe('secrets that one variable would give', () => {
  it('G16 refuses the second name, and names both', () => {
    const rival = (name: string) =>
      name === 'DB_PASSWORD' ? { name: 'db-password', place: 'DB' } : undefined
    const { problems } = service('env: {A: {secret: DB_PASSWORD}}', '', { secrets: { ...secrets, rival } })
    expect(problems.map(problem => problem.replace(/^\S+ \S+containers\/0\//, ''))).to.deep.equal([
      'env/A needs the secret "DB_PASSWORD", which would be read from DB, as "db-password" is already (secret-ambiguous)',
    ])
  })
})

describe('variables of a service (A46)', () => {
  const variables =
    'variables: [{name: HOST, value: db}, {name: PORT, value: 5432}, {name: USER, value-from-vault-secret: {vault: vault, secret: db, key: user}}]'

  it('A46 puts variables into env, and a dollar for two of them', () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the specification's own syntax
    expect(
      env('env: {URL: "db://${HOST}:${PORT}/", PRICE: "$$5 $$${PORT} $HOME $${"}', variables),
    ).to.deep.equal({
      URL: 'db://db:5432/',
      PRICE: '$5 $5432 $HOME ${',
    })
  })

  it('A46 G16 makes a secret of every value that a secret is part of', () => {
    expect(env('env: {URL: "db://${USER}@${HOST}", WHO: "${USER}"}', variables)).to.deep.equal({
      URL: '<db://ada@db>',
      WHO: '<ada>',
    })
  })

  it('A46 refuses a name that is no variable', () => {
    expect(env('env: ["A=${NOBODY}"]', variables)).to.deep.equal([
      'containers/0/env A names the variable "NOBODY", and the service has none of that name; for a dollar as it stands write $$, as in $${NOBODY} (application-invalid)',
    ])
  })

  it('G24 refuses a NUL of a secret in a variable, directly and as a part, and keeps it in a file', () => {
    const binary = 'variables: [{name: RAW, value-from-vault-secret: {vault: db, secret: binary, key: it}}]'
    const more = { ...secrets, find: (name: string) => secrets.find(name.replace('/it', '')) }
    const { problems } = service('env: {A: {secret: db/binary}, B: "x${RAW}"}', binary, { secrets: more })
    expect(problems.map(problem => problem.replace(/^\S+ \S+containers\/0\//, ''))).to.deep.equal([
      'env/A A holds a NUL character; only a file can be given that, with a volume of secrets (application-invalid)',
      'env/B B holds a NUL character; only a file can be given that, with a volume of secrets (application-invalid)',
    ])
    const volume = 'volumes: [{name: v, secret: {items: [{name: key, secret: db/binary}]}}]'
    expect(env('mounts: [{volume-name: v, mount-path: /v}]', volume)).to.deep.equal({})
  })
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the specification's own syntax

  it('A46 refuses a variable without a value, with two, and one name twice', () => {
    expect(
      env(
        '',
        'variables: [{name: A}, {name: B, value: b, value-from-vault-secret: {vault: vault, secret: db, key: user}}, {name: A, value: 1}]',
      ),
    ).to.deep.equal([
      'variables/0 needs exactly one of value, value-from-vault-secret (application-invalid)',
      'variables/1 needs exactly one of value, value-from-vault-secret (application-invalid)',
      'variables/2/name is "A" a second time (application-invalid)',
    ])
  })
})

describe('secrets in a specification (G16)', () => {
  it('G16 takes a value from a secret', () => {
    expect(env('env: {PASSWORD: {secret: db/password}}')).to.deep.equal({ PASSWORD: '<hunter2>' })
  })

  it('G16 says at its place which secret nobody has', () => {
    expect(env('env: {PASSWORD: {secret: db/pasword}}')).to.deep.equal([
      'containers/0/env/PASSWORD needs the secret "db/pasword", and nobody has that (secret-missing)',
    ])
  })

  it('G16 says why a secret that is there cannot be read, and not that nobody has it', () => {
    const broken = { code: 'secrets-unreadable', message: '/secrets/mail: is not text (UTF-8)' } as const
    const unreadable = (name: string) => (name === 'mail' ? broken : undefined)
    const { problems } = service('env: {A: {secret: mail}, B: {secret: mial}}', '', {
      secrets: { ...secrets, unreadable },
    })
    expect(problems.map(problem => problem.replace(/^\S+ /, ''))).to.deep.equal([
      '/services/0/containers/0/env/A needs the secret "mail", which cannot be read: /secrets/mail: is not text (UTF-8) (secrets-unreadable)',
      '/services/0/containers/0/env/B needs the secret "mial", and nobody has that (secret-missing)',
    ])
  })

  it('G16 says why, where secrets cannot be read', () => {
    const fault = { code: 'file-too-large', message: 'secrets.yaml: is too large' } as const
    const { problems } = service('env: {A: {secret: a}}', '', { secrets: { ...secrets, fault } })
    expect(problems.join()).to.include(
      'needs the secret "a", and not all secrets can be read: secrets.yaml: is too large (file-too-large)',
    )
    expect(formatProblem(fault)).to.equal('secrets.yaml: is too large (file-too-large)')
  })

  const volumes = `volumes:
  - {name: config, config-map: {items: [{name: a.conf, data: "a=1"}, {name: b.conf, data: "b=2"}]}}
  - {name: vault, vault-secret: {vault: vault, secret: db}}
  - {name: keys, secret: {items: [{name: key.pem, secret: db/password}]}}
  - {name: d, persistent-volume: {}}`

  const file = (path: string, content: string, mode: number) => ({ path, content, mode })

  it('A45 G15 mounts files: a whole volume, and single ones', () => {
    const { instance, problems } = service(
      `mounts:
  - {volume-name: config, mount-path: /etc/shop}
  - {volume-name: config, files: [{name: b.conf, mount-path: /etc/b.conf}]}`,
      volumes,
      { secrets },
    )
    expect(problems).to.deep.equal([])
    expect(instance?.containers[0].mounts).to.deep.equal([{ kind: 'files', path: '/etc/shop' }])
    expect(instance?.containers[0].files).to.deep.equal([
      file('/etc/b.conf', 'b=2', 0o444),
      file('/etc/shop/a.conf', 'a=1', 0o444),
      file('/etc/shop/b.conf', 'b=2', 0o444),
    ])
  })

  it('G16 makes files of secrets that only their owner reads, whoever the container runs as', () => {
    const files = (user: string) =>
      service(
        `mounts: [{volume-name: vault, mount-path: /vault}, {volume-name: keys, mount-path: /keys}]\n${user}`,
        volumes,
        { secrets },
      ).instance?.containers[0].files?.map(({ path, content, mode }) => [
        path,
        content instanceof Secret && content.reveal(),
        mode,
      ])
    expect(files('')).to.deep.equal([
      ['/keys/key.pem', 'hunter2', 0o400],
      ['/vault/user', 'ada', 0o400],
    ])
    expect(files('user: 1000')?.map(([, , mode]) => mode)).to.deep.equal([0o400, 0o400])
  })

  const rights = (mounts: string) => {
    const { instance, problems } = service(`mounts: [${mounts}]`, volumes, { secrets })
    return problems.length > 0
      ? problems.map(problem => problem.replace(/^\S+ \/services\/0\//, ''))
      : instance?.containers[0].files?.map(({ content: _, ...rest }) => rest)
  }

  it('G15 takes mode, uid and gid of a mount, and of a file before those of its mount', () => {
    expect(rights('{volume-name: config, mount-path: /c, mode: 0640, uid: 1000, gid: "50"}')).to.deep.equal([
      { path: '/c/a.conf', mode: 0o640, uid: 1000, gid: 50 },
      { path: '/c/b.conf', mode: 0o640, uid: 1000, gid: 50 },
    ])
    expect(
      rights(
        '{volume-name: keys, uid: 7, files: [{name: key.pem, mount-path: /a}, {name: key.pem, mount-path: /b, mode: 0o440, uid: 0}]}',
      ),
    ).to.deep.equal([
      { path: '/a', mode: 0o400, uid: 7 },
      { path: '/b', mode: 0o440, uid: 0 },
    ])
  })

  it('G15 refuses a mode that is not octal, a user by name, and rights of what is not written', () => {
    expect(
      rights(
        '{volume-name: config, mount-path: /c, mode: 0888, uid: app, gid: 4294967295}, {volume-name: d, mount-path: /d, mode: 0700}',
      ),
    ).to.deep.equal([
      'containers/0/mounts/0/mode "0888" is no octal mode such as 1777 (application-invalid)',
      'containers/0/mounts/0/uid "app" is no number of a user or group; names are not looked up here (application-invalid)',
      'containers/0/mounts/0/gid "4294967295" is no number of a user or group; names are not looked up here (application-invalid)',
      'containers/0/mounts/1/mode is for config-map, vault-secret and secret volumes (application-invalid)',
    ])
  })

  const refused: readonly (readonly [string, string, string, string])[] = [
    [
      'G24 a file name that climbs',
      '',
      'volumes: [{name: v, config-map: {items: [{name: "../etc/passwd", data: x}]}}]',
      '/services/0/volumes/0/config-map/items/0/name "../etc/passwd" has a slash in a name of a file',
    ],
    [
      'G24 a file name that comes from a secret and holds a NUL',
      '',
      'volumes: [{name: v, vault-secret: {vault: odd, secret: s}}]',
      '/services/0/volumes/0/vault-secret is the name of a file that holds a NUL character',
    ],
    [
      'G24 a file name of more bytes than a file system has room for',
      '',
      `volumes: [{name: v, config-map: {items: [{name: ${'ä'.repeat(130)}, data: x}]}}]`,
      '/services/0/volumes/0/config-map/items/0/name is longer than 255 bytes',
    ],
    [
      'G24 a file name that is a directory',
      '',
      'volumes: [{name: v, config-map: {items: [{name: "..", data: x}]}}]',
      '/services/0/volumes/0/config-map/items/0/name ".." is no name of a file',
    ],
    [
      'one file twice',
      '',
      'volumes: [{name: v, config-map: {items: [{name: a, data: x}, {name: a, data: y}]}}]',
      '/services/0/volumes/0/config-map/items/1/name is "a" a second time',
    ],
    [
      'a file that the volume does not have',
      'mounts: [{volume-name: config, files: [{name: c.conf, mount-path: /c}]}]',
      volumes,
      'mounts/0/files/0/name "c.conf" is no file of "config"',
    ],
    [
      'single files of a volume that has none',
      'mounts: [{volume-name: d, files: [{name: c, mount-path: /c}]}]',
      volumes,
      'mounts/0/files is for config-map, vault-secret and secret volumes',
    ],
    [
      'single files in a read-only file system',
      'read_only: true\nmounts: [{volume-name: config, files: [{name: a.conf, mount-path: /a}]}]',
      volumes,
      "mounts/0/files would be written into the container's own file system, which is read-only; mount the whole volume with mount-path",
    ],
    [
      'a mount that says nowhere',
      'mounts: [{volume-name: config}]',
      volumes,
      'mounts/0 needs "mount-path" or "files"',
    ],
  ]
  for (const [what, lines, more, problem] of refused)
    it(`refuses ${what}`, () => {
      expect(container(lines, more, { secrets })).to.deep.equal({
        problems: [`${problem} (application-invalid)`],
      })
    })
})
