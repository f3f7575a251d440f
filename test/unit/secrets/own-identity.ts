import { generateIdentity, identityToRecipient } from 'age-encryption'
import { decryptSops } from '../../../lib/secrets/sops.ts'
import { encryptSops, type Mapping, type Plan } from '../../support/files/sops.ts'

/** Makes an identity. What it encrypts is for that alone, unless told otherwise, and what it decrypts is read with it. */
export async function ownIdentity() {
  const identity = await generateIdentity()
  const recipient = await identityToRecipient(identity)
  return {
    identity,
    recipient,
    encrypt: (tree: Mapping, plan: Partial<Plan> = {}) =>
      encryptSops(tree, { format: 'yaml', recipients: [recipient], ...plan }),
    decrypt: async (text: string, file = 'secrets.yaml') =>
      Object.fromEntries(await decryptSops(file, text, [identity])),
  }
}
