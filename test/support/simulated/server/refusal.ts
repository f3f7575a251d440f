/** What the engine answers instead of doing what it was asked. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Whatever is named in a call does not exist. */
export function missing(message: string): Refusal {
  return new Refusal(404, message)
}

/** The call contradicts the present state. */
export function conflict(message: string): Refusal {
  return new Refusal(409, message)
}
