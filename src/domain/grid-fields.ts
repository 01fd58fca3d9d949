/** Fields of a grid's start, by their wire names; ratios are decimals, money is yuan. */
export interface GridFields {
  readonly center_price?: number | null | undefined
  readonly duration_days?: number | null | undefined
  readonly risk_level?: string | null | undefined
  readonly template_name?: string | null | undefined
  readonly price_interval?: number | null | undefined
  readonly position_ratio?: number | null | undefined
  readonly callback_ratio?: number | null | undefined
  readonly trade_mode?: string | null | undefined
  readonly fixed_volume?: number | null | undefined
  readonly max_investment?: number | null | undefined
  readonly max_deviation?: number | null | undefined
  readonly target_profit?: number | null | undefined
  readonly stop_loss?: number | null | undefined
}

/** Fields of a grid template, by their wire names. */
export interface GridTemplateFields
  extends Omit<GridFields, 'center_price' | 'trade_mode' | 'risk_level'> {
  readonly max_investment_ratio?: number | null | undefined
  readonly description?: string | null | undefined
  readonly is_default?: boolean | null | undefined
}
