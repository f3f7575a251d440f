/**
 * A text that must not be shown (G16). As JSON, in a log or in a template, it becomes its mark or `(secret)`. Only
 * `reveal` returns the text, and only the code that passes it to a container calls that.
 */
export class Secret {
  /** A keyed hash of the text. Equal texts have equal marks, and without the key nobody can guess texts. */
  readonly mark: string
  readonly #text: string

  constructor(text: string, mark: string) {
    this.#text = text
    this.mark = mark
  }

  /** Whether anybody gave it. Where files are only checked, nobody did, and its text is empty. */
  get isKnown(): boolean {
    return this.mark !== ''
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return '(secret)'
  }
}

/** A text that may be shown, or one that must not be. */
export type Text = string | Secret
