/** Tables of the built-in test-mode payment provider (migration 0002). */
export interface TestModeTables {
  test_mode_placeholder: { id: string };
}
