import { expect } from 'chai'
import { maskCredentials } from '../../../../lib/text/redaction/mask.ts'

describe('mask', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['https://ann:word@git.example.com/a.git', 'https://***@git.example.com/a.git'],
    ['https://token123@git.example.com/a.git', 'https://***@git.example.com/a.git'],
    ['https://:word@git.example.com', 'https://***@git.example.com'],
    ['https://ann:w@rd@git.example.com/a', 'https://***@git.example.com/a'],
    ['https://ann:wo/rd@git.example.com/a', 'https://***@git.example.com/a'],
    ['ssh://git:word@git.example.com/a', 'ssh://***@git.example.com/a'],
    ['ssh://deploy:word@store-1', 'ssh://***@store-1'],
    ['ssh://deploy%3Aword@store-1', 'ssh://***@store-1'],
    ['ssh://deploy@word@store-1', 'ssh://***@store-1'],
    ['tcp://ann:word@store-1:2376', 'tcp://***@store-1:2376'],
    ['"http://a:b@one" and http://c:d@two', '"http://***@one" and http://***@two'],
  ]
  for (const [text, masked] of cases) {
    it(`G16 masks the credentials in ${text}`, () => expect(maskCredentials(text)).to.equal(masked))
  }

  const kept = [
    'https://git.example.com/a.git',
    'https://git.example.com:8443/@scope/name',
    'ssh://git@git.example.com/a.git',
    'ssh://deploy@store-1',
    'ssh://deploy@store-1:22/run/docker.sock, then "ssh://deploy@store-2" is left',
    'git@git.example.com:a/b.git',
    'registry.example.com/web@sha256:ab',
    'at http://one.example.com then mail to ann@example.com',
  ]
  for (const text of kept) {
    it(`leaves ${text} as it is`, () => expect(maskCredentials(text)).to.equal(text))
  }
})
