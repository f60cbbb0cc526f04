import unittest

from src.report import stock_value
from src.stock import shortage


class StockTest(unittest.TestCase):
    def test_tells_what_is_missing(self):
        self.assertEqual([shortage("pear", 10), shortage("pear", 20)], [0, 8])

    def test_values_what_is_there(self):
        self.assertEqual(stock_value(["apple", "pear", "plum"]), 1740)


if __name__ == "__main__":
    unittest.main()
