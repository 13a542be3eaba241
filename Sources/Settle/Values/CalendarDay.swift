/// A day of the Gregorian calendar, which is also used for the time before its introduction.
struct CalendarDay: Hashable {
    let year: Int
    /// 1…12
    let month: Int
    /// 1…31
    let day: Int

    private static let daysPer400Years = 146_097
    /// From the start of March in the year 0 to the start of 1970.
    private static let daysFromMarch0To1970 = 719_468

    /// `nil` if the month has no such day.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.lengthOfMonth(month, in: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// `nil` more than some ten million years away, where no caller has business.
    init?(daysSince1970: Int) {
        guard abs(daysSince1970) < 4_000_000_000 else { return nil }
        // Years are counted from March here, so that the leap day is the last of its year.
        let days = daysSince1970 + Self.daysFromMarch0To1970
        let era = days.flooredQuotient(by: Self.daysPer400Years)
        let dayOfEra = days - era * Self.daysPer400Years
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = yearFromMarch.flooredQuotient(by: 400)
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPer400Years + dayOfEra - Self.daysFromMarch0To1970
    }

    private static func lengthOfMonth(_ month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int {
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        (self >= 0 ? self : self - (divisor - 1)) / divisor
    }
}
