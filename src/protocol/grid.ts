import type { GridFields, GridTemplateFields } from '../domain/grid-fields.ts'

/** Commands about grids. */
export type GridCommand =
  | ({ readonly kind: 'gridStart'; readonly source: string } & WordedStart)
  /** What a start with the same fields would lead to. Changes nothing. */
  | ({ readonly kind: 'gridPreview' } & WordedStart)
  /** What a backtest with the same fields needs to know of the account; `baseQuantity` null = what is held. */
  | ({ readonly kind: 'gridBacktest'; readonly baseQuantity: number | null } & WordedStart)
  | { readonly kind: 'gridStop'; readonly target: GridTarget; readonly source: string }
  | {
      readonly kind: 'gridEnable'
      readonly sessionId: number
      readonly enabled: boolean
      readonly source: string
    }
  | {
      readonly kind: 'gridTemplateSave'
      readonly template: GridTemplateFields
      readonly source: string
    }
  | ({ readonly kind: 'gridTemplateUse' } & NamedTemplate)
  | ({ readonly kind: 'gridTemplateDelete' } & NamedTemplate)
  | ({ readonly kind: 'gridTemplateDefault' } & NamedTemplate)

/** A start as a caller words it: `top` and `config` are the two places in which a field may stand. */
interface WordedStart {
  readonly code: string
  readonly top: GridFields
  readonly config: GridFields
}

interface NamedTemplate {
  readonly name: string
  readonly source: string
}

/** One session by its number or by its stock, or every one. */
export type GridTarget =
  | { readonly by: 'id'; readonly sessionId: number }
  | { readonly by: 'code'; readonly code: string }
  | { readonly by: 'all' }

/** Questions about grids. */
export type GridQuestion =
  | { readonly about: 'stock'; readonly code: string }
  | { readonly about: 'session'; readonly sessionId: number }
  /** `echo`: the code as the caller spelled it. */
  | { readonly about: 'status'; readonly code: string; readonly echo: string }
  | { readonly about: 'trades'; readonly sessionId: number; readonly page: GridPage }
  | {
      readonly about: 'ledger'
      readonly sessionId: number
      readonly page: GridPage
      /** Mark in ten-thousandths of a yuan; 0 = the price of now. */
      readonly price: number
    }
  /** Codes as the caller spelled them. */
  | { readonly about: 'checkboxes'; readonly codes: readonly string[] }
  | { readonly about: 'checkbox'; readonly code: string }
  | { readonly about: 'defaults' }
  | { readonly about: 'templates' }
  | { readonly about: 'template'; readonly name: string }
  | { readonly about: 'defaultTemplate' }
  | { readonly about: 'riskTemplates' }

export interface GridPage {
  /** 1 … {@link GRID_PAGE_MAX}. */
  readonly limit: number
  readonly offset: number
}
export const GRID_PAGE_MAX = 500
export const GRID_PAGE_DEFAULT = 50

/** The fields of an answer as they are shown. */
export interface GridAnswer {
  readonly fields: object
  /** Rows of the database that were looked at for it; absent: none. */
  readonly looked?: number
}
