import unittest

from src.orders import OutOfStock, place


class OrdersTest(unittest.TestCase):
    def test_adds_up_its_lines(self):
        self.assertEqual(place({"apple": 2, "pear": 1}), 105)

    def test_gives_a_discount_from_ten(self):
        self.assertEqual(place({"apple": 10}), 270)

    def test_refuses_what_is_not_there(self):
        with self.assertRaises(OutOfStock):
            place({"plum": 1})


if __name__ == "__main__":
    unittest.main()
