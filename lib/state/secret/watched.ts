import type { Secrets } from './secrets.ts'

/** What is known of the secrets that something was made with. */
export type SecretsSeen = { readonly isAsked: boolean; readonly mark: string }

/** Returns the same secrets, and records whether any was asked for. If not, a change of secrets changes nothing. */
export function watched(secrets: Secrets): { readonly secrets: Secrets; seen(): SecretsSeen } {
  let isAsked = false
  return {
    secrets: {
      ...secrets,
      find(name) {
        isAsked = true
        return secrets.find(name)
      },
      below(prefix) {
        isAsked = true
        return secrets.below(prefix)
      },
    },
    seen: () => ({ isAsked, mark: secrets.mark }),
  }
}
