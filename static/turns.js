// Putting a turn together from the texts of the legal turns, without a page: the same logic as in src/web/steps.rs,
// which tests both with the same cases.

export class Turns {
  /** `turns` are texts with their steps; the steps in `labels` are no places on the board. */
  constructor(turns, labels) {
    this.all = turns;
    this.labels = labels;
  }

  isPlace(step) {
    return !this.labels.has(step);
  }

  /** The turns that begin with these steps. */
  fitting(begin) {
    return this.all.filter((turn) => begin.every((step, i) => turn[1][i] === step));
  }

  /** The turn whose steps are exactly `begin`. */
  whole(begin) {
    return this.fitting(begin).find((turn) => turn[1].length === begin.length);
  }

  /** The possible next steps after `begin`. */
  after(begin) {
    const longer = this.fitting(begin).filter((turn) => turn[1].length > begin.length);
    return new Set(longer.map((turn) => turn[1][begin.length]));
  }

  /** `begin`, extended by the first possible step as long as that is no place and does not end the turn. */
  extended(begin) {
    for (let taken = begin; ; ) {
      const next = [...this.after(taken)];
      const goesOn = (step) => !this.isPlace(step) && !this.whole([...taken, step]);
      if (!taken.length || !next.length || this.whole(taken) || !next.every(goesOn)) return taken;
      taken = [...taken, next[0]];
    }
  }

  /** The alternatives to the last step, if that is no place. */
  instead(steps) {
    if (!steps.length || this.isPlace(steps[steps.length - 1])) return [];
    const others = [...this.after(steps.slice(0, -1))];
    return others.length > 1 && !others.some((step) => this.isPlace(step)) ? others : [];
  }

  /** The steps without the last one taken by hand. */
  before(steps) {
    let fewer = steps.slice(0, -1);
    while (fewer.length && this.extended(fewer).length >= steps.length) fewer = fewer.slice(0, -1);
    return fewer;
  }
}
